import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HistoryKeeper } from '../../src/activity/history-keeper.js'
import { pruneOld } from '../../src/activity/prune.js'
import { recordActivity } from '../../src/activity/record-activity.js'
import type { RunOutcome, RunState, TaskStatus } from '../../src/records/schema.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const day = 24 * 60 * 60_000

describeBothDatabases('pruning', (database) => {
  let foundation: TestFoundation
  let old: number
  let young: number

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
    old = foundation.clock.now() - 30 * day - 1
    young = foundation.clock.now() - 30 * day + 1
  })
  afterEach(() => foundation[Symbol.asyncDispose]())

  const db = () => foundation.store.db

  async function idsOf(
    table: 'tasks' | 'runs' | 'triggers' | 'mails' | 'messages' | 'outbox',
  ): Promise<readonly string[]> {
    const rows = await db().selectFrom(table).select('id').orderBy('id').execute()
    return rows.map(({ id }) => id)
  }

  async function addTask(id: string, status: TaskStatus, endedAt: number | null, cancelledAt: number | null = null) {
    await db()
      .insertInto('tasks')
      .values({
        id,
        group_folder: 'lab',
        prompt: 'p',
        schedule_type: 'once',
        schedule_value: 'x',
        timezone: 'UTC',
        anchor: 0,
        context_mode: 'group',
        missed: 'latest',
        overlap: 'skip',
        jitter_ms: 0,
        expect: 'any',
        deliver: 'none',
        depth: 0,
        status,
        failures: 0,
        version: 1,
        created_by: 'agent:lab',
        creator_group: 'lab',
        created_at: 0,
        ended_at: endedAt,
        cancelled_at: cancelledAt,
      })
      .execute()
  }

  interface RunOf {
    readonly task_id?: string
    readonly trigger_id?: string
    readonly mail_id?: string
  }

  async function addRun(id: string, of: RunOf, state: RunState, finishedAt: number | null, outcome: RunOutcome = 'ok') {
    await db()
      .insertInto('runs')
      .values({
        id,
        ...of,
        group_folder: 'lab',
        depth: 0,
        scheduled_for: Number(id.slice(4)),
        due_at: 0,
        state,
        outcome: state === 'ended' ? outcome : null,
        serial: 0,
        exclusive: 0,
        attempts: 1,
        attempts_before: 0,
        fence: 1,
        late_ms: 0,
        slots: 1,
        created_at: 0,
        finished_at: finishedAt,
      })
      .execute()
    await db()
      .insertInto('attempts')
      .values({
        run_id: id,
        n: 1,
        owner: 'p',
        fence: 1,
        lease_until: 0,
        started_at: 0,
        messages_sent: 0,
        repeatable: 1,
        tool_calls: 0,
      })
      .execute()
  }

  async function addMail(id: string, state: 'sent' | 'dead' | 'pending', sentAt: number | null) {
    const texts = { recipient: 'a@b', subject: 's', text: 't', headers: '{}' }
    await db()
      .insertInto('outbox')
      .values({
        id,
        kind: 'notify',
        message_id: `<${id}@x>`,
        ...texts,
        state,
        tries: 1,
        next_try: 0,
        fence: 0,
        created_at: 0,
        queued_at: 0,
        sent_at: sentAt,
      })
      .execute()
  }

  async function addMessage(
    id: string,
    state: 'sent' | 'logged' | 'dropped' | 'dead' | 'batched' | 'held',
    at: number,
    mail: { readonly digest_id?: string; readonly outbox_id?: string } = {},
  ) {
    await db()
      .insertInto('messages')
      .values({ id, group_folder: 'lab', priority: 'notify', text: 't', depth: 0, state, created_at: at, ...mail })
      .execute()
  }

  it('leaves activity of 30 days', async () => {
    const record = (at: number, summary: string) => recordActivity(db(), { at, type: 'agent_started', summary })
    await record(old, 'old')
    await record(young, 'young')
    await pruneOld(foundation)
    expect(await db().selectFrom('activity').select('summary').execute()).toEqual([{ summary: 'young' }])
  })

  it('is done at the start and every hour, whatever becomes of a round', async () => {
    const { clock, store } = foundation
    const add = () =>
      db().insertInto('activity').values({ ts: old, event_type: 'x', summary: 's', details: '{}' }).execute()
    const left = async () => (await db().selectFrom('activity').select('id').execute()).length
    await add()
    const keeper = new HistoryKeeper(foundation)
    await keeper.start()
    expect(await left()).toBe(0)
    await store.db.schema.alterTable('quotas').renameTo('hidden').execute()
    clock.advance(60 * 60_000)
    await expect.poll(() => foundation.logged.map(({ message }) => message)).toEqual(['pruning failed'])
    await add()
    clock.advance(60 * 60_000)
    await expect.poll(left).toBe(0)
    await keeper.close()
    await keeper.close()
    expect(clock.nextWake).toBeUndefined()
  })

  it('goes in statements of some hundred rows each, until all is gone', async () => {
    const rows = Array.from({ length: 1_234 }, (_, n) => ({
      ts: old - n,
      event_type: 'x',
      summary: 's',
      details: '{}',
    }))
    await db().insertInto('activity').values(rows).execute()
    const replies = rows.map((_, n) => ({
      principal: 'a',
      tool: 't',
      key: `${n}`,
      args_hash: 'h',
      reply: '{}',
      created_at: old,
    }))
    await db().insertInto('call_replies').values(replies).execute()
    await pruneOld(foundation)
    expect(await db().selectFrom('activity').select('id').execute()).toEqual([])
    expect(await db().selectFrom('call_replies').select('key').execute()).toEqual([])
  })

  it('takes ended runs with their attempts, and then what they were for', async () => {
    await addTask('task_1', 'active', null)
    await addRun('run_01', { task_id: 'task_1' }, 'ended', old)
    await addRun('run_02', { task_id: 'task_1' }, 'ended', young)
    await addRun('run_03', { task_id: 'task_1' }, 'running', null)
    await addTask('task_2', 'completed', old)
    await addRun('run_04', { task_id: 'task_2' }, 'ended', old)
    await addTask('task_3', 'completed', young)
    await addTask('task_4', 'cancelled', old, young)
    await addTask('task_5', 'cancelled', null, old)
    await addTask('task_6', 'completed', old)
    await addRun('run_05', { task_id: 'task_6' }, 'ended', young)
    await pruneOld(foundation)
    expect(await idsOf('runs')).toEqual(['run_02', 'run_03', 'run_05'])
    expect(await idsOf('tasks')).toEqual(['task_1', 'task_3', 'task_4', 'task_6'])
    expect(await db().selectFrom('attempts').select('run_id').orderBy('run_id').execute()).toHaveLength(3)
  })

  it('leaves a dead run that can still be redriven', async () => {
    await addTask('task_1', 'paused', null)
    await addRun('run_01', { task_id: 'task_1' }, 'ended', old, 'dead')
    await addTask('task_2', 'failed', old)
    await addRun('run_02', { task_id: 'task_2' }, 'ended', old, 'dead')
    await pruneOld(foundation)
    expect(await idsOf('runs')).toEqual(['run_01'])
    expect(await idsOf('tasks')).toEqual(['task_1'])
  })

  it('takes triggers and mails when they, and their runs, are past', async () => {
    const trigger = (id: string, expires: number) =>
      db()
        .insertInto('triggers')
        .values({
          id,
          source: 'main',
          target: 'lab',
          depth: 1,
          subject: 's',
          body: 'b',
          accepted_at: old - 5 * day,
          expires_at: expires,
        })
        .execute()
    await trigger('trg_1', old)
    await trigger('trg_2', young)
    await trigger('trg_3', old)
    await addRun('run_01', { trigger_id: 'trg_1' }, 'ended', old, 'dead')
    await addRun('run_02', { trigger_id: 'trg_3' }, 'ended', young)
    const mail = (id: string, at: number) =>
      db()
        .insertInto('mails')
        .values({
          id,
          message_id: id,
          uid: 1,
          sender: 's',
          subject: 's',
          text: 't',
          verdict: 'accepted',
          received_at: at,
        })
        .execute()
    await mail('mail_1', old)
    await mail('mail_2', young)
    await mail('mail_3', old)
    await addRun('run_03', { mail_id: 'mail_3' }, 'running', null)
    await pruneOld(foundation)
    expect(await idsOf('triggers')).toEqual(['trg_2', 'trg_3'])
    expect(await idsOf('mails')).toEqual(['mail_2', 'mail_3'])
    expect(await idsOf('runs')).toEqual(['run_02', 'run_03'])
  })

  it('takes messages and mail that went out, and nothing that has to', async () => {
    await addMail('out_1', 'sent', old)
    await addMail('out_2', 'sent', young)
    await addMail('out_3', 'dead', null)
    await addMail('out_4', 'pending', null)
    await addMail('out_5', 'sent', old)
    await addMessage('msg_1', 'sent', old, { outbox_id: 'out_1' })
    await addMessage('msg_2', 'sent', young, { digest_id: 'out_2' })
    await addMessage('msg_3', 'dead', old, { outbox_id: 'out_3' })
    await addMessage('msg_4', 'batched', old)
    await addMessage('msg_5', 'held', old)
    await addMessage('msg_6', 'logged', old)
    await addMessage('msg_7', 'dropped', old)
    await addMessage('msg_8', 'sent', young, { digest_id: 'out_5' })
    await pruneOld(foundation)
    expect(await idsOf('messages')).toEqual(['msg_2', 'msg_3', 'msg_4', 'msg_5', 'msg_8'])
    expect(await idsOf('outbox')).toEqual(['out_2', 'out_3', 'out_4', 'out_5'])
  })

  it('takes replies after a day, and searches and quotas that count no more', async () => {
    const now = foundation.clock.now()
    const reply = (key: string, at: number) => ({
      principal: 'a',
      tool: 't',
      key,
      args_hash: 'h',
      reply: '{}',
      created_at: at,
    })
    await db()
      .insertInto('call_replies')
      .values([reply('old', now - day), reply('young', now - day + 1)])
      .execute()
    await db()
      .insertInto('searches')
      .values([
        { key: 'old', reply: '{}', at: now - day - 1 },
        { key: 'young', reply: '{}', at: now },
      ])
      .execute()
    const windows = ['2026-02-27', '2026-02-27T23', '2026-03-01', '2026-03-02', '1772452800000']
    await db()
      .insertInto('quotas')
      .values(windows.map((window) => ({ name: 'search lab', window, used: 1 })))
      .execute()
    await pruneOld(foundation)
    expect(await db().selectFrom('call_replies').select('key').execute()).toEqual([{ key: 'young' }])
    expect(await db().selectFrom('searches').select('key').execute()).toEqual([{ key: 'young' }])
    const left = await db().selectFrom('quotas').select('window').orderBy('window').execute()
    expect(left.map(({ window }) => window)).toEqual(['1772452800000', '2026-03-01', '2026-03-02'])
  })
})
