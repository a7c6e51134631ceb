import { describeBothDatabases } from '@callboard/store/testing'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions, type TestLink, textOf } from '@callboard/worker/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { recordActivity } from '../../src/activity/record-activity.js'
import type { RunOutcome, RunState } from '../../src/records/schema.js'
import type { StatusSources } from '../../src/status/system-status.js'
import { getSystemStatusTool } from '../../src/tools/get-system-status-tool.js'
import { serveTool } from '../../src/tools/serve-tool.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const admin: TestCallOptions = { group: 'main' }

describeBothDatabases('the status', (database) => {
  let foundation: TestFoundation
  let link: TestLink

  async function open(config: object = {}, sources: Partial<StatusSources> = {}): Promise<void> {
    foundation = await openTestFoundation({ location: await database.create(), config })
    const worker = defineWorker({ service: 'scheduler', version: '1' })
    const none = () => ({ configured: false, connected: false, lastOkAt: null, lastError: null })
    const all = {
      version: '1.2.3',
      startedAt: 0,
      smtp: none,
      imap: none,
      nextDigestAt: async () => undefined,
      ...sources,
    }
    serveTool(worker, getSystemStatusTool(foundation, all), foundation)
    link = await connectForTest(worker)
  }
  beforeEach(() => open())
  afterEach(async () => {
    await link.close()
    await foundation[Symbol.asyncDispose]()
  })

  async function reopen(...how: Parameters<typeof open>): Promise<void> {
    await link.close()
    await foundation[Symbol.asyncDispose]()
    await open(...how)
  }

  const status = async (options: TestCallOptions = admin) =>
    (await link.callTool<{ readonly [key: string]: unknown }>('get_system_status', {}, options)).structuredContent

  const addTask = (id: string, status: 'active' | 'paused' | 'completed', dueAt: number | null) =>
    foundation.store.db
      .insertInto('tasks')
      .values({
        id,
        group_folder: 'lab',
        prompt: 'p',
        schedule_type: 'cron',
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
        next_fire: dueAt,
        due_at: dueAt,
        failures: 0,
        version: 1,
        created_by: 'agent:lab',
        creator_group: 'lab',
        created_at: 0,
      })
      .execute()

  async function addRun(id: string, state: RunState, outcome: RunOutcome | null, leaseUntil?: number): Promise<void> {
    const { db } = foundation.store
    const counts = { attempts: 1, attempts_before: 0, fence: 1, late_ms: 0, slots: 1 }
    const times = { scheduled_for: 0, due_at: 0, created_at: 0 }
    await db
      .insertInto('runs')
      .values({ id, group_folder: 'lab', depth: 0, state, outcome, serial: 0, exclusive: 0, ...counts, ...times })
      .execute()
    if (leaseUntil === undefined) return
    await db
      .insertInto('attempts')
      .values({
        run_id: id,
        n: 1,
        owner: 'p',
        fence: 1,
        lease_until: leaseUntil,
        outcome,
        started_at: 0,
        messages_sent: 0,
        repeatable: 1,
        tool_calls: 0,
      })
      .execute()
  }

  it('of a worker that has just begun has every field', async () => {
    foundation.clock.advance(3_725_000)
    expect(await status()).toEqual({
      uptime_s: 3_725,
      version: '1.2.3',
      now: '2026-03-02T13:02:05.000Z',
      timezone: 'Europe/Paris',
      imap: { configured: false, connected: false, last_ok_at: null, last_error: null },
      smtp: { configured: false, connected: false, last_ok_at: null, last_error: null },
      registered_groups: 2,
      active_tasks: 0,
      paused_tasks: 0,
      active_agents: 0,
      queued_runs: 0,
      next_due: null,
      overdue: 0,
      dead_runs: 0,
      outbox: { pending: 0, oldest_age_s: null, dead: 0 },
      digest: { last_sent_at: null, next_at: null, items: 0 },
      triggers_last_hour: 0,
      triggers_unreceived: 0,
      processes: [],
      search_provider: null,
    })
  })

  it('counts tasks and runs as they are now', async () => {
    const now = foundation.clock.now()
    await addTask('task_1', 'active', now - 60_001)
    await addTask('task_2', 'active', now + 5_000)
    await addTask('task_3', 'paused', null)
    await addTask('task_4', 'completed', null)
    await addRun('run_1', 'running', null, now + 1)
    await addRun('run_2', 'running', null, now)
    await addRun('run_3', 'queued', null)
    await addRun('run_4', 'waiting', null)
    await addRun('run_5', 'ended', 'dead', now + 1)
    await addRun('run_6', 'ended', 'ok', now + 1)
    expect(await status()).toMatchObject({
      active_tasks: 2,
      paused_tasks: 1,
      active_agents: 1,
      queued_runs: 2,
      next_due: new Date(now - 60_001).toISOString(),
      overdue: 1,
      dead_runs: 1,
    })
    await foundation.store.db
      .updateTable('tasks')
      .set({ due_at: now + 9_000 })
      .where('id', '=', 'task_1')
      .execute()
    expect(await status()).toMatchObject({ next_due: new Date(now + 5_000).toISOString(), overdue: 0 })
  })

  it('counts mail, the digest and triggers', async () => {
    const next = foundation.clock.now() + 60_000
    await reopen({}, { nextDigestAt: async () => next })
    const { store, clock } = foundation
    const now = clock.now()
    const mail = {
      kind: 'notify' as const,
      recipient: 'a@b',
      subject: 's',
      text: 't',
      headers: '{}',
      tries: 0,
      next_try: 0,
    }
    const states = ['pending', 'sending', 'sent', 'dead'] as const
    await store.db
      .insertInto('outbox')
      .values(
        states.map((state, n) => ({
          ...mail,
          id: state,
          message_id: state,
          state,
          fence: 0,
          created_at: now - 10_000 - n * 1_000,
          queued_at: 0,
        })),
      )
      .execute()
    const message = { group_folder: 'lab', priority: 'digest' as const, text: 't', depth: 0, created_at: 0 }
    await store.db
      .insertInto('messages')
      .values([
        { ...message, id: 'msg_1', state: 'batched' },
        { ...message, id: 'msg_2', state: 'sent' },
      ])
      .execute()
    await recordActivity(store.db, { at: now - 9_000, type: 'digest_sent', summary: 's' })
    await recordActivity(store.db, { at: now - 8_000, type: 'digest_failed', summary: 's' })
    const hour = 60 * 60_000
    const trigger = { source: 'main', target: 'lab', depth: 1, subject: 's', body: 'b' }
    await store.db
      .insertInto('triggers')
      .values([
        { ...trigger, id: 'trg_1', accepted_at: now - hour + 1, expires_at: now + hour },
        { ...trigger, id: 'trg_2', accepted_at: now - hour + 1, expires_at: now + hour, consumed_at: now },
        { ...trigger, id: 'trg_3', accepted_at: now - hour, expires_at: now + hour },
        { ...trigger, id: 'trg_4', accepted_at: now - 100 * hour, expires_at: now },
      ])
      .execute()
    expect(await status()).toMatchObject({
      outbox: { pending: 2, oldest_age_s: 11, dead: 1 },
      digest: { last_sent_at: new Date(now - 9_000).toISOString(), next_at: new Date(next).toISOString(), items: 1 },
      triggers_last_hour: 2,
      triggers_unreceived: 2,
    })
  })

  it('calls a process stale that was silent for more than a minute', async () => {
    const { store, clock } = foundation
    const row = { host: 'h', pid: 1, started_at: 0 }
    await store.db
      .insertInto('processes')
      .values([
        { ...row, id: 'process_1', heartbeat_at: clock.now() - 60_000 },
        { ...row, id: 'process_2', heartbeat_at: clock.now() - 60_001 },
        { ...row, id: 'process_3', heartbeat_at: clock.now() + 5_000 },
      ])
      .execute()
    expect((await status())?.['processes']).toEqual([
      { id: 'process_1', heartbeat_age_s: 60, stale: false },
      { id: 'process_2', heartbeat_age_s: 60, stale: true },
      { id: 'process_3', heartbeat_age_s: 0, stale: false },
    ])
  })

  it('shows the texts of errors to the admin group only', async () => {
    const smtp = () => ({ configured: true, connected: false, lastOkAt: 1_000, lastError: 'mail.example.org refused' })
    await reopen({}, { smtp })
    const told = { configured: true, connected: false, last_ok_at: '1970-01-01T00:00:01.000Z' }
    expect((await status())?.['smtp']).toEqual({ ...told, last_error: 'mail.example.org refused' })
    for (const caller of [{ group: 'lab' }, {}, { group: 'unknown' }]) {
      const answer = await link.callTool('get_system_status', {}, caller)
      expect(answer.structuredContent).toMatchObject({ smtp: { ...told, last_error: null } })
      expect(textOf(answer)).not.toContain('example.org')
    }
  })

  it.each([
    [{}, null],
    [{ perplexity_api_key: 'k' }, 'perplexity'],
    [{ perplexity_api_key: 'k', brave_api_key: 'k' }, 'brave'],
    [{ brave_api_key: 'k', searxng_url: 'http://127.0.0.1' }, 'searxng'],
    [{ brave_api_key: 'k', searxng_url: 'http://127.0.0.1', search_provider: 'brave' }, 'brave'],
  ])('names the search provider of %o', async (config, provider) => {
    await reopen(config)
    expect((await status())?.['search_provider']).toBe(provider)
  })

  it('takes no parameters', async () => {
    const answer = await link.callTool('get_system_status', { verbose: true })
    expect(answer._meta?.['callboard/error']).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
