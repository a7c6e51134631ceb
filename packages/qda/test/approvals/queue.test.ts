import { afterEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'
import { newRig, writeTools } from '../support/write-tools.js'

const open: QdaForTest[] = []
afterEach(async () => {
  for (const qda of open.splice(0)) await qda[Symbol.asyncDispose]()
})

const operator = { principal: 'operator:lea', roles: ['operator'], session: 'session-of-lea' } as const
const ada = { principal: 'agent:ada', session: 'session-of-ada' } as const

/** Adding waits for a person, and so does the deletion of others once it is confirmed. */
async function opened(config: object = { levels: { add_journal: 'T4' }, approval: 'human' }) {
  const rig = newRig()
  const qda = await openQdaForTest({ config, tools: writeTools(rig) })
  open.push(qda)
  const path = await qda.openProject()
  const { call } = qda
  const journals = () => qda.db(path).prepare('SELECT name FROM journal ORDER BY jid').pluck().all()
  const decide = async (tool: string, args: object) => {
    const answer = await call(tool, args, operator)
    return { ...answer, ...answer['data'] }
  }
  const approve = (id: string, more = {}) => decide('approve_suggestion', { id, ...more })
  const reject = (id: string, reason = 'no') => decide('reject_suggestion', { id, reason })
  const suggest = async (name: string, options = {}) => {
    const answer = await call('add_journal', { name }, options)
    expect(answer).toMatchObject({ success: true, status: 'pending_approval' })
    return answer['suggestion_id'] as string
  }
  return { qda, rig, path, call, journals, approve, reject, suggest }
}

describe('a call that waits for a person', () => {
  it('answers success with the suggestion, and changes nothing', async () => {
    const { call, journals } = await opened()
    const answer = await call('add_journal', { name: 'Day 1' })
    expect(answer).toMatchObject({
      success: true,
      status: 'pending_approval',
      suggestion_id: expect.stringMatching(/^[\da-f-]{36}$/),
      requires_approval: true,
      change_set_id: null,
    })
    expect(answer['data']).toMatchObject({ suggestion_id: answer['suggestion_id'] })
    expect(journals()).toEqual([])
  })

  it('is checked as if it were done at once', async () => {
    const { qda, call, path } = await opened()
    qda.db(path).exec("INSERT INTO journal (name) VALUES ('Day 1')")
    expect(await call('add_journal', { name: 'Day 1' })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
    expect(await call('list_pending')).toMatchObject({ data: { total_count: 0 } })
  })

  it('is shown first where it asks for a confirmation, and waits once that is given', async () => {
    const { qda, call, path, journals } = await opened()
    qda.db(path).exec("INSERT INTO journal (name) VALUES ('Day 1')")
    const { preview_token } = await call('delete_code', { journal_id: 1 })
    const confirmed = { journal_id: 1, confirm: true, preview_token }
    expect(await call('delete_code', confirmed)).toMatchObject({ status: 'pending_approval' })
    expect(await call('delete_code', confirmed)).toMatchObject({ error_code: 'PREVIEW_STALE' })
    expect(journals()).toEqual(['Day 1'])
  })

  it('acts at once where an agent may confirm it itself', async () => {
    const { qda, call, path } = await opened({ approval: 'confirm' })
    qda.db(path).exec("INSERT INTO journal (name) VALUES ('Day 1')")
    expect(await call('delete_code', { journal_id: 1, confirm: true })).toMatchObject({ deleted: true })
  })

  it('acts at once where an operator makes it', async () => {
    const { call, path, journals } = await opened()
    await call('open_project', { path }, operator)
    expect(await call('add_journal', { name: 'Day 1' }, operator)).toMatchObject({ journal_id: 1 })
    expect(journals()).toEqual(['Day 1'])
  })

  it('waits where an operator’s role came with a call on somebody’s behalf', async () => {
    const { call, path } = await opened()
    await call('open_project', { path }, operator)
    const behalf = { ...operator, depth: 1, onBehalfOf: 'agent:ada' }
    expect(await call('add_journal', { name: 'Day 1' }, behalf)).toMatchObject({ status: 'pending_approval' })
  })

  it('waits once, however often it is made', async () => {
    const { call, suggest } = await opened()
    const first = await suggest('Day 1')
    expect(await suggest('Day 1')).toBe(first)
    expect(await suggest('Day 2')).not.toBe(first)
    expect(await call('list_pending')).toMatchObject({ data: { total_count: 2 } })
  })

  it('is of its actor: another one’s is another', async () => {
    const { call, path, suggest } = await opened()
    await call('open_project', { path }, ada)
    expect(await suggest('Day 1', ada)).not.toBe(await suggest('Day 1'))
  })

  it('that is repeated answers the same suggestion, whatever was decided', async () => {
    const { call, approve, journals } = await opened()
    const asked = { name: 'Day 1', request_id: 'a' }
    const { suggestion_id: id } = await call('add_journal', asked)
    expect(await call('add_journal', asked)).toMatchObject({ suggestion_id: id, replayed: true })
    await approve(id)
    expect(await call('add_journal', asked)).toMatchObject({ suggestion_id: id, replayed: true })
    expect(await call('add_journal', { name: 'Day 2', request_id: 'a' })).toMatchObject({
      error_code: 'REQUEST_ID_CONFLICT',
    })
    expect(journals()).toEqual(['Day 1'])
  })

  it('finds the queue full after 200 of its actor, until one is taken back', async () => {
    const { qda, call, path, suggest } = await opened()
    const last = await suggest('Day 0')
    const fill = qda.db(path, 'callboard.sqlite').prepare(
      `INSERT INTO suggestion (id, kind, tool, payload, fingerprints, actor, created_at, status)
       VALUES (?, 'add_journal', 'add_journal', '{}', '', 'agent:main', 0, 'pending')`,
    )
    for (let n = 1; n < 200; n += 1) fill.run(`s${n}`)
    expect(await call('add_journal', { name: 'Day 200' })).toMatchObject({
      error_code: 'QUEUE_FULL',
      details: { pending: 200, limit: 200 },
    })
    expect(await suggest('Day 0')).toBe(last)
    await call('open_project', { path }, ada)
    await suggest('Day 200', ada)
    await call('withdraw_suggestion', { id: last })
    await suggest('Day 200')
  })
})

describe('a decision', () => {
  it('that approves does it in the name of who suggested it, and keeps the result', async () => {
    const { qda, call, path, suggest, approve } = await opened()
    const id = await suggest('Day 1')
    const approved = await approve(id)
    expect(approved).toMatchObject({
      success: true,
      id,
      status: 'approved',
      result: { journal_id: 1, name: 'Day 1', change_set_id: expect.stringMatching(/-/) },
    })
    expect(qda.db(path).prepare('SELECT name, owner FROM journal').all()).toEqual([
      { name: 'Day 1', owner: 'AI Agent (main)' },
    ])
    expect(await call('get_suggestion', { id })).toMatchObject({
      data: { status: 'approved', decided_by: 'operator:lea', result: approved['result'], actor: 'agent:main' },
    })
    const { data } = await call('list_changes')
    expect(data.changes).toMatchObject([{ change_set_id: approved['result'].change_set_id, actor: 'agent:main' }])
  })

  it('that confirms does what was only confirmed by its agent', async () => {
    const { qda, call, path, approve, journals } = await opened()
    qda.db(path).exec("INSERT INTO journal (name) VALUES ('Day 1')")
    const { suggestion_id } = await call('delete_code', { journal_id: 1, confirm: true })
    expect(await approve(suggestion_id)).toMatchObject({ status: 'approved', result: { deleted: true } })
    expect(journals()).toEqual([])
  })

  it('needs no open project, and survives a restart', async () => {
    const { qda, suggest, approve, journals } = await opened()
    const id = await suggest('Day 1')
    await qda.restart()
    expect(await approve(id)).toMatchObject({ status: 'approved' })
    expect(journals()).toEqual(['Day 1'])
  })

  it('is made once', async () => {
    const { suggest, approve, reject, journals } = await opened()
    const id = await suggest('Day 1')
    const both = await Promise.all([approve(id), approve(id)])
    expect(both.map(({ success, error_code }) => [success, error_code])).toContainEqual([true, undefined])
    expect(both.map(({ success, error_code }) => [success, error_code])).toContainEqual([false, 'ALREADY_DECIDED'])
    expect(await reject(id)).toMatchObject({ error_code: 'ALREADY_DECIDED', details: { status: 'approved' } })
    expect(journals()).toEqual(['Day 1'])
  })

  it('is made once for what no transaction holds, too', async () => {
    const { rig, call, approve } = await opened({ levels: { export_qdc: 'T4' } })
    const { data } = await call('export_qdc', { path: '/a' })
    const both = await Promise.all([approve(data.suggestion_id), approve(data.suggestion_id)])
    expect(both.map(({ success }) => success).sort()).toEqual([false, true])
    expect(rig.done).toEqual(['/a'])
  })

  it('that rejects writes nothing, and tells why', async () => {
    const { call, suggest, approve, reject, journals } = await opened()
    const id = await suggest('Day 1')
    expect(await reject(id, 'not yet')).toMatchObject({ success: true, id, status: 'rejected' })
    expect(await approve(id)).toMatchObject({ error_code: 'ALREADY_DECIDED' })
    expect(await call('get_suggestion', { id })).toMatchObject({ data: { status: 'rejected', reason: 'not yet' } })
    expect(journals()).toEqual([])
  })

  it('finds stale what is gone or reads differently, and writes nothing', async () => {
    const { qda, call, path, approve, journals } = await opened()
    const db = qda.db(path)
    db.exec("INSERT INTO journal (name, jentry) VALUES ('Day 1', 'a'), ('Day 2', 'b')")
    const [changed, gone] = await Promise.all(
      [1, 2].map(async (id) => (await call('delete_code', { journal_id: id, confirm: true }))['suggestion_id']),
    )
    db.exec("UPDATE journal SET jentry = 'c' WHERE jid = 1; DELETE FROM journal WHERE jid = 2")
    expect(await approve(changed)).toMatchObject({ success: true, status: 'stale' })
    expect(await approve(gone)).toMatchObject({ status: 'stale', result: { reason: 'Journal 2 not found' } })
    expect(journals()).toEqual(['Day 1'])
    expect(await approve(changed)).toMatchObject({ error_code: 'ALREADY_DECIDED', details: { status: 'stale' } })
    expect(await call('list_changes')).toMatchObject({ data: { total_count: 0 } })
  })

  it('that fails for another reason leaves it to be decided', async () => {
    const { rig, suggest, approve } = await opened()
    const id = await suggest('Day 1')
    rig.inTransaction = () => {
      throw new Error('no')
    }
    expect(await approve(id)).toMatchObject({ error_code: 'INTERNAL' })
    rig.inTransaction = () => {}
    expect(await approve(id)).toMatchObject({ status: 'approved' })
  })

  it('is not for agents: the tools are unknown to them', async () => {
    const { qda, call, suggest, journals } = await opened()
    const id = await suggest('Day 1')
    const names = (roles: readonly ('agent' | 'operator')[]) =>
      qda.link.toolsOf('session-1', roles).map(({ name }) => name)
    const deciding = ['list_suggestions', 'approve_suggestion', 'reject_suggestion']
    expect(names(['agent'])).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/_suggestions$|^approve|^reject/)]),
    )
    expect(names(['operator'])).toEqual(expect.arrayContaining(deciding))
    const behalf = { ...operator, onBehalfOf: 'agent:main', depth: 1 }
    expect(await call('approve_suggestion', { id }, behalf)).toMatchObject({ error_code: 'PERMISSION_DENIED' })
    await call('approve_suggestion', { id }).catch(() => {})
    expect(journals()).toEqual([])
  })
})

describe('an agent', () => {
  it('sees and takes back its own suggestions alone', async () => {
    const { call, path, suggest, approve } = await opened()
    const id = await suggest('Day 1')
    await call('open_project', { path }, ada)
    const unknown = { error_code: 'SUGGESTION_NOT_FOUND' }
    expect(await call('list_pending', {}, ada)).toMatchObject({ data: { total_count: 0 } })
    expect(await call('get_suggestion', { id }, ada)).toMatchObject(unknown)
    expect(await call('withdraw_suggestion', { id }, ada)).toMatchObject(unknown)
    expect(await call('withdraw_suggestion', { id })).toMatchObject({ success: true, data: { status: 'withdrawn' } })
    expect(await call('withdraw_suggestion', { id })).toMatchObject({ success: true, data: { status: 'withdrawn' } })
    expect(await approve(id)).toMatchObject({ error_code: 'ALREADY_DECIDED', details: { status: 'withdrawn' } })
  })

  it('suggests and codes in the name of the principal at the root of its call', async () => {
    const { qda, call, path, suggest, approve } = await opened()
    const id = await suggest('Day 1', { principal: 'agent:writer', onBehalfOf: 'agent:bo', depth: 1 })
    await approve(id)
    expect(qda.db(path).prepare('SELECT owner FROM journal').pluck().all()).toEqual(['AI Agent (bo)'])
    await call('open_project', { path }, ada)
    expect(await call('get_suggestion', { id }, { ...ada, principal: 'agent:bo' })).toMatchObject({ success: true })
  })
})

describe('an operator', () => {
  it('lists what waits in all projects that were opened here', async () => {
    const { qda, call, path, suggest, approve } = await opened()
    const first = await suggest('Day 1')
    const other = await qda.openProject('Other')
    qda.clock.advance(1_000)
    const second = await suggest('Day 1')
    await call('close_project')
    await qda.restart()
    const list = (args = {}) => call('list_suggestions', args, operator)
    expect(await list()).toMatchObject({
      data: {
        total_count: 2,
        suggestions: [
          { id: first, project_path: path, actor: 'agent:main', tool: 'add_journal', payload: { name: 'Day 1' } },
          { id: second, project_path: other },
        ],
        next_cursor: null,
      },
    })
    const page = await list({ limit: 1 })
    expect(await list({ limit: 1, cursor: page['data'].next_cursor })).toMatchObject({
      data: { suggestions: [{ id: second }], next_cursor: null },
    })
    await approve(first)
    expect(await list({ project_path: path })).toMatchObject({ data: { total_count: 0 } })
    expect(await list({ status: 'approved' })).toMatchObject({
      data: { suggestions: [{ id: first, status: 'approved' }] },
    })
  })
})

describe('the other sessions of a project', () => {
  it('hear of each write, and who wrote does not', async () => {
    const { qda, call, path, suggest, approve } = await opened()
    await call('open_project', { path }, ada)
    const heard = () =>
      qda.link.events.flatMap((event) =>
        'session' in event && JSON.stringify(event).includes('qda://project') ? [event.session] : [],
      )
    const id = await suggest('Day 1')
    await qda.link.settled()
    const before = heard().length
    await approve(id)
    await qda.link.settled()
    expect(new Set(heard().slice(before))).toEqual(new Set(['session-1', ada.session]))
    const then = heard().length
    await call('undo_change_set', { change_set_id: (await call('list_changes'))['data'].changes[0].change_set_id })
    await qda.link.settled()
    expect(heard().slice(then)).toEqual([ada.session])
  })
})
