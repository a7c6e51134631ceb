import { afterEach, describe, expect, it } from 'vitest'
import { passing } from '../support/passing.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'
import { newRig, type WriteRig, writeTools } from '../support/write-tools.js'

const open: QdaForTest[] = []
afterEach(async () => {
  for (const qda of open.splice(0)) await qda[Symbol.asyncDispose]()
})

async function opened(config?: unknown) {
  const rig: WriteRig = newRig()
  const qda = await openQdaForTest({ config, tools: writeTools(rig) })
  open.push(qda)
  const path = await qda.openProject()
  const journals = () => qda.db(path).prepare('SELECT name FROM journal ORDER BY jid').pluck().all()
  return { qda, rig, path, journals, call: qda.call }
}

const hour = 60 * 60_000

describe('a request', () => {
  it('has one effect, and its repeat the first answer', async () => {
    const { call, journals } = await opened()
    const first = await call('add_journal', { name: 'Day 1', request_id: 'a' })
    expect(first).toMatchObject({
      success: true,
      journal_id: 1,
      change_set_id: expect.stringMatching(/^[\da-f-]{36}$/),
    })
    const { data, ...flat } = first
    expect(await call('add_journal', { name: 'Day 1', request_id: 'a' })).toEqual({
      ...flat,
      replayed: true,
      data: { ...data, replayed: true },
    })
    expect(journals()).toEqual(['Day 1'])
  })

  it('is told by its request_id, else by the key of the call', async () => {
    const { call, journals } = await opened()
    const options = { idempotencyKey: 'k' }
    await call('add_journal', { name: 'Day 1' }, options)
    expect(await call('add_journal', { name: 'Day 1' }, options)).toMatchObject({ replayed: true })
    await call('add_journal', { name: 'Day 2', request_id: 'a' }, options)
    expect(journals()).toEqual(['Day 1', 'Day 2'])
  })

  it('that asks for something else is a conflict', async () => {
    const { call, journals } = await opened()
    await call('add_journal', { name: 'Day 1', request_id: 'a' })
    expect(await call('add_journal', { name: 'Day 2', request_id: 'a' })).toMatchObject({
      success: false,
      error_code: 'REQUEST_ID_CONFLICT',
      details: { request_id: 'a' },
    })
    expect(journals()).toEqual(['Day 1'])
  })

  it('asks for the same with what is the default, and an alias', async () => {
    const { call } = await opened()
    await call('add_journal', { name: 'Day 1', request_id: 'a' })
    const spelt = { name: 'Day 1', content: '', start_position: 0, dry_run: false, request_id: 'a' }
    expect(await call('add_journal', spelt)).toMatchObject({ replayed: true })
  })

  it('is of its actor, and of its tool', async () => {
    const { call, path, journals } = await opened()
    const ada = { principal: 'agent:ada', session: 'session-2' }
    await call('open_project', { path }, ada)
    await call('add_journal', { name: 'Day 1', request_id: 'a' })
    expect(await call('add_journal', { name: 'Day 2', request_id: 'a' }, ada)).toMatchObject({ success: true })
    expect(await call('delete_code', { journal_id: 1, confirm: true, request_id: 'a' })).toMatchObject({
      deleted: true,
    })
    expect(journals()).toEqual(['Day 2'])
  })

  it('of an actor whose session is another one is the same', async () => {
    const { call, path } = await opened()
    await call('add_journal', { name: 'Day 1', request_id: 'a' })
    await call('open_project', { path }, { session: 'session-2' })
    const repeated = await call('add_journal', { name: 'Day 1', request_id: 'a' }, { session: 'session-2' })
    expect(repeated).toMatchObject({ replayed: true })
  })

  it('is known for a day, also after the worker was restarted', async () => {
    const { qda, call, path, journals } = await opened()
    await call('add_journal', { name: 'Day 1', request_id: 'a' })
    await qda.restart()
    expect(await call('add_journal', { name: 'Day 1', request_id: 'a' })).toMatchObject({ error_code: 'NO_PROJECT' })
    await call('open_project', { path })
    qda.clock.advance(24 * hour - 1)
    expect(await call('add_journal', { name: 'Day 1', request_id: 'a' })).toMatchObject({ replayed: true })
    qda.clock.advance(1)
    expect(await call('add_journal', { name: 'Day 2', request_id: 'a' })).not.toHaveProperty('replayed')
    expect(journals()).toEqual(['Day 1', 'Day 2'])
  })

  it('that failed is tried again', async () => {
    const { call, rig } = await opened()
    rig.inTransaction = () => {
      throw new Error('no')
    }
    expect(await call('add_journal', { name: 'Day 1', request_id: 'a' })).toMatchObject({ error_code: 'INTERNAL' })
    rig.inTransaction = () => {}
    expect(await call('add_journal', { name: 'Day 1', request_id: 'a' })).toMatchObject({ success: true })
  })

  it('that runs twice at once has one effect', async () => {
    const { call, rig, journals } = await opened()
    let release = () => {}
    rig.gate = new Promise((resolve) => {
      release = resolve
    })
    const both = [1, 2].map(() => call('add_journal', { name: 'Day 1', request_id: 'a' }))
    release()
    const answers = await Promise.all(both)
    expect(answers.map(({ replayed = false }) => replayed).sort()).toEqual([false, true])
    expect(journals()).toEqual(['Day 1'])
  })

  it('for something outside of the project has one effect, too', async () => {
    const { call, rig } = await opened()
    const both = [1, 2].map(() => call('export_qdc', { path: '/a', request_id: 'a' }))
    expect((await Promise.all(both)).map(({ data }) => data.replayed ?? false).sort()).toEqual([false, true])
    expect(rig.done).toEqual(['/a'])
  })

  it('whose answer is large is answered alike', async () => {
    const { call } = await opened()
    const name = '😀'.repeat(100_000)
    await call('add_journal', { name, request_id: 'a' })
    expect((await call('add_journal', { name, request_id: 'a' }))['replayed']).toBe(true)
  })
})

describe('a dry run', () => {
  it('answers what the call would, and changes nothing', async () => {
    const { qda, call, path, journals } = await opened()
    expect(await call('add_journal', { name: 'Day 1', dry_run: true })).toMatchObject({
      success: true,
      journal_id: 1,
      dry_run: true,
      change_set_id: null,
    })
    expect(journals()).toEqual([])
    expect(qda.db(path, 'callboard.sqlite').prepare('SELECT count(*) FROM change').pluck().get()).toBe(0)
  })

  it('fails as the call would', async () => {
    const { qda, call, path } = await opened()
    expect(await call('delete_code', { journal_id: 7, dry_run: true })).toMatchObject({
      error_code: 'JOURNAL_NOT_FOUND',
    })
    qda.db(path).exec("INSERT INTO journal (name) VALUES ('Day 1')")
    expect(await call('add_journal', { name: 'Day 1', dry_run: true })).toMatchObject({
      error_code: 'INVALID_ARGUMENT',
    })
  })

  it('of a tool that previews needs no confirmation, and is kept for no repeat', async () => {
    const { call, journals } = await opened()
    await call('add_journal', { name: 'Day 1' })
    const dry = { journal_id: 1, confirm: true, dry_run: true, request_id: 'a' }
    expect(await call('delete_code', dry)).toMatchObject({ deleted: true, dry_run: true })
    expect(await call('delete_code', { ...dry, confirm: false })).toMatchObject({ deleted: true, dry_run: true })
    expect(journals()).toEqual(['Day 1'])
    expect(await call('delete_code', { ...dry, dry_run: false })).not.toHaveProperty('replayed')
    expect(journals()).toEqual([])
  })
})

describe('a preview', () => {
  async function previewed(config?: unknown) {
    const all = await opened(config)
    await all.call('add_journal', { name: 'Day 1' })
    await all.call('add_journal', { name: 'Day 2' })
    const { preview_token } = await all.call('delete_code', { journal_id: 1 })
    return { ...all, preview_token: preview_token as string }
  }

  it('shows what would be done, does not do it, and is confirmed by its token', async () => {
    const { call, journals } = await previewed()
    const { preview_token, ...preview } = await call('delete_code', { journal_id: 1 })
    expect(preview).toMatchObject({
      success: true,
      preview: true,
      name: 'Day 1',
      requires_approval: true,
      message: "This will delete 'Day 1'",
    })
    expect(journals()).toEqual(['Day 1', 'Day 2'])
    const confirmed = { journal_id: 1, confirm: true, preview_token }
    expect(await call('delete_code', confirmed)).toMatchObject({ deleted: true, name: 'Day 1' })
    expect(journals()).toEqual(['Day 2'])
  })

  it('need not be referred to', async () => {
    const { call, journals } = await previewed()
    expect(await call('delete_code', { journal_id: 1, confirm: true })).toMatchObject({ deleted: true })
    expect(journals()).toEqual(['Day 2'])
  })

  it('must be referred to where the operator wants that', async () => {
    const { call, preview_token } = await previewed({ require_preview_token: true })
    const confirmed = { journal_id: 1, confirm: true }
    expect(await call('delete_code', confirmed)).toMatchObject({ error_code: 'PREVIEW_STALE' })
    expect(await call('delete_code', { ...confirmed, preview_token })).toMatchObject({ deleted: true })
  })

  it('is confirmed once', async () => {
    const { qda, call, path, preview_token } = await previewed()
    const confirmed = { journal_id: 1, confirm: true, preview_token }
    expect(await call('delete_code', confirmed)).toMatchObject({ deleted: true })
    qda.db(path).exec("INSERT INTO journal (jid, name) VALUES (1, 'Day 1')")
    expect(await call('delete_code', confirmed)).toMatchObject({ error_code: 'PREVIEW_STALE' })
  })

  it('is still to be confirmed after a call that failed', async () => {
    const { qda, call, path, preview_token } = await previewed()
    const db = qda.db(path)
    const confirmed = { journal_id: 1, confirm: true, preview_token }
    db.exec('BEGIN IMMEDIATE')
    const busy = call('delete_code', confirmed)
    await passing(qda.clock, busy)
    expect(await busy).toMatchObject({ error_code: 'PROJECT_BUSY', details: { retryable: true } })
    db.exec('COMMIT')
    expect(await call('delete_code', confirmed)).toMatchObject({ deleted: true })
  })

  it('lives for a quarter of an hour', async () => {
    const { qda, call, preview_token } = await previewed()
    qda.clock.advance(15 * 60_000 - 1)
    const { preview_token: second } = await call('delete_code', { journal_id: 2 })
    expect(await call('delete_code', { journal_id: 1, confirm: true, preview_token })).toMatchObject({ deleted: true })
    qda.clock.advance(15 * 60_000)
    expect(await call('delete_code', { journal_id: 2, confirm: true, preview_token: second })).toMatchObject({
      error_code: 'PREVIEW_STALE',
    })
  })

  it('is of its object, its actor and its tool, who keeps it when others try', async () => {
    const { call, path, preview_token } = await previewed()
    const ada = { principal: 'agent:ada', session: 'session-2' }
    await call('open_project', { path }, ada)
    const stale = { error_code: 'PREVIEW_STALE' }
    expect(await call('delete_code', { journal_id: 2, confirm: true, preview_token })).toMatchObject(stale)
    expect(await call('delete_code', { journal_id: 1, confirm: true, preview_token }, ada)).toMatchObject(stale)
    expect(await call('delete_code', { journal_id: 1, confirm: true, preview_token: 'x' })).toMatchObject(stale)
    expect(await call('delete_code', { journal_id: 1, confirm: true, preview_token })).toMatchObject({ deleted: true })
  })

  it('does not hold any more once a row has changed that it was of', async () => {
    const { qda, call, path, preview_token, journals } = await previewed()
    qda.db(path).exec("UPDATE journal SET jentry = 'more' WHERE jid = 2")
    qda.db(path).exec("UPDATE journal SET jentry = 'more' WHERE jid = 1")
    expect(await call('delete_code', { journal_id: 1, confirm: true, preview_token })).toMatchObject({
      error_code: 'PREVIEW_STALE',
    })
    expect(journals()).toEqual(['Day 1', 'Day 2'])
  })

  it('holds although other rows have changed', async () => {
    const { qda, call, path, preview_token } = await previewed()
    qda.db(path).exec("UPDATE journal SET jentry = 'more' WHERE jid = 2")
    expect(await call('delete_code', { journal_id: 1, confirm: true, preview_token })).toMatchObject({ deleted: true })
  })

  it('is kept for no repeat', async () => {
    const { call } = await previewed()
    const asked = { journal_id: 1, request_id: 'a' }
    expect(await call('delete_code', asked)).toMatchObject({ preview: true })
    expect(await call('delete_code', { ...asked, confirm: true })).toMatchObject({ deleted: true })
    expect(await call('delete_code', { ...asked, confirm: true })).toMatchObject({ deleted: true, replayed: true })
  })
})

describe('a level', () => {
  it('off refuses every call, after what it is about was looked for', async () => {
    const { call } = await opened({ levels: { delete_code: 'off', list_journals: 'off', add_journal: 'off' } })
    const refused = { success: false, error_code: 'PERMISSION_DENIED' }
    expect(await call('list_journals')).toMatchObject(refused)
    expect(await call('add_journal', { name: 'Day 1', dry_run: true })).toMatchObject(refused)
    expect(await call('add_journal', {})).toMatchObject({ error_code: 'MISSING_PARAMETER' })
    expect(await call('delete_code', { journal_id: 1 })).toMatchObject({ error_code: 'JOURNAL_NOT_FOUND' })
  })

  it('T3 shows what a tool without a preview would answer, and wants a confirmation', async () => {
    const { call, journals } = await opened({ levels: { add_journal: 'T3' }, require_preview_token: true })
    const preview = await call('add_journal', { name: 'Day 1' })
    expect(preview).toMatchObject({ preview: true, journal_id: 1, name: 'Day 1', requires_approval: true })
    expect(journals()).toEqual([])
    const confirmed = { name: 'Day 1', confirm: true, preview_token: preview['preview_token'] }
    expect(await call('add_journal', confirmed)).toMatchObject({ success: true, journal_id: 1 })
    expect(journals()).toEqual(['Day 1'])
  })

  it('T3 does the same for what no transaction holds', async () => {
    const { qda, call, path, rig } = await opened({ levels: { export_qdc: 'T3' }, require_preview_token: true })
    const { data } = await call('export_qdc', { path: '/a' })
    expect(data).toMatchObject({ preview: true, path: '/a', count: 0 })
    const confirmed = { path: '/a', confirm: true, preview_token: data.preview_token }
    qda.db(path).exec("INSERT INTO journal (name) VALUES ('Day 1')")
    expect(await call('export_qdc', confirmed)).toMatchObject({ error_code: 'PREVIEW_STALE' })
    const { data: again } = await call('export_qdc', { path: '/a' })
    expect(await call('export_qdc', { ...confirmed, preview_token: again.preview_token })).toMatchObject({
      success: true,
    })
    expect(rig.done).toEqual(['/a'])
  })

  it('T2 lets a tool with a preview act once it is confirmed, whatever people are asked for', async () => {
    const { call } = await opened({ levels: { delete_code: 'T2' }, approval: 'human' })
    await call('add_journal', { name: 'Day 1' })
    const preview = await call('delete_code', { journal_id: 1 })
    expect(preview).toMatchObject({ preview: true })
    expect(preview).not.toHaveProperty('requires_approval')
    expect(await call('delete_code', { journal_id: 1, confirm: true })).toMatchObject({ deleted: true })
  })
})

describe('a call', () => {
  it('that was cancelled before its turn does nothing', async () => {
    const { qda, call, rig, path, journals } = await opened()
    const db = qda.db(path)
    db.exec('BEGIN IMMEDIATE')
    const first = call('add_journal', { name: 'Day 1' })
    const cancelling = new AbortController()
    const cancelled = call('export_qdc', { path: '/a' }, { signal: cancelling.signal })
    await qda.link.settled()
    cancelling.abort()
    await qda.link.settled()
    db.exec('COMMIT')
    await passing(qda.clock, first)
    await cancelled.catch(() => {})
    expect(journals()).toEqual(['Day 1'])
    expect(rig.done).toEqual([])
  })

  it('ends well though its session closes meanwhile', async () => {
    const { qda, call, rig, path, journals } = await opened()
    let release = () => {}
    rig.gate = new Promise((resolve) => {
      release = resolve
    })
    const running = call('add_journal', { name: 'Day 1' })
    await qda.link.settled()
    const closing = call('close_project')
    await qda.link.settled()
    release()
    expect(await closing).toMatchObject({ closed: true })
    expect(await running).toMatchObject({ success: true })
    expect(journals()).toEqual(['Day 1'])
    expect(await call('open_project', { path })).toMatchObject({ success: true, read_only: false })
  })

  it('whose transaction fails leaves nothing of it in either file', async () => {
    const { qda, call, rig, path } = await opened()
    await call('add_journal', { name: 'Day 1' })
    const before = contentOf(qda, path)
    rig.inTransaction = () => {
      throw new Error('no')
    }
    await call('add_journal', { name: 'Day 2' })
    expect(contentOf(qda, path)).toEqual(before)
  })
})

function contentOf(qda: QdaForTest, path: string) {
  const count = (file: string, table: string) => qda.db(path, file).prepare(`SELECT * FROM ${table}`).all()
  return [
    count('data.qda', 'journal'),
    ...['change_set', 'change', 'request'].map((table) => count('callboard.sqlite', table)),
  ]
}
