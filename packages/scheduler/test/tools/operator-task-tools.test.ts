import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, it } from 'vitest'
import { ada, type Desk, daily, openDesk, operator } from '../support/task-desk.js'

const hour = 60 * 60_000
const unknownTask = 'task_01JQ8Z6W4N3V5T7R9P2M1K0H8F'
const unknownRun = 'run_01JQ8Z6W4N3V5T7R9P2M1K0H8F'

const asRoot = (desk: Desk) => operator(desk.foundation)

describeBothDatabases('set_task', (database) => {
  it('changes what is said and leaves the rest, also whose task it is', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const deep = ada(desk.foundation, { triggerDepth: 2 })
    const { task_id } = await desk.call('schedule_task', { ...daily, deliver: 'digest', timezone: 'Asia/Tokyo' }, deep)
    const queued = await desk.addRun({ task_id })
    const before = await desk.row(task_id)
    const reply = await desk.call('set_task', { task_id, schedule_value: '0 8 * * *', name: 'early' }, asRoot(desk))
    expect(reply).toMatchObject({ task_id, created: false, schedule_value: '0 8 * * *', timezone: 'Asia/Tokyo' })
    const fire = Date.parse('2026-03-02T23:00:00Z')
    expect(await desk.row(task_id)).toEqual({
      ...before,
      name: 'early',
      schedule_value: '0 8 * * *',
      anchor: desk.foundation.clock.now(),
      next_fire: fire,
      due_at: fire,
      version: 2,
    })
    expect(await desk.run(queued)).toMatchObject({ outcome: 'cancelled' })
    expect(await desk.activity()).toEqual(['task_created', 'task_updated'])
  })
})

describe('set_task', () => {
  it('moves no slot when nothing is said of time', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', daily)
    const queued = await desk.addRun({ task_id })
    const { next_fire } = await desk.row(task_id)
    await desk.call('set_task', { task_id, prompt: 'Other.', jitter_ms: hour }, asRoot(desk))
    const row = await desk.row(task_id)
    expect(row).toMatchObject({ prompt: 'Other.', next_fire })
    expect(row.due_at!).toBeGreaterThan(next_fire!)
    expect(await desk.run(queued)).toMatchObject({ state: 'queued' })
  })

  it('leaves an ended task ended until a time is given', async () => {
    await using desk = await openDesk()
    const once = { prompt: 'p', schedule_type: 'once', schedule_value: '2026-03-02T14:00:00' }
    const { task_id } = await desk.call('schedule_task', once)
    await desk.foundation.store.db
      .updateTable('tasks')
      .set({ status: 'completed', ended_at: 5, next_fire: null, due_at: null })
      .execute()
    desk.foundation.clock.set('2026-03-02T14:00:00Z')
    expect(await desk.call('set_task', { task_id, prompt: 'q' }, asRoot(desk))).toMatchObject({ status: 'completed' })
    const sooner = { task_id, schedule_value: '2026-03-02T14:30:00' }
    expect(await desk.refused('set_task', sooner, asRoot(desk))).toMatchObject({ code: 'INVALID_ARGUMENT' })
    const later = { task_id, schedule_value: '2026-03-02T16:00:00' }
    expect(await desk.call('set_task', later, asRoot(desk))).toMatchObject({ status: 'active' })
    expect(await desk.row(task_id)).toMatchObject({ ended_at: null, next_fire: Date.parse('2026-03-02T15:00:00Z') })
  })

  it('leaves a once that runs alone: it does not run again', async () => {
    await using desk = await openDesk()
    const once = { prompt: 'p', schedule_type: 'once', schedule_value: '2026-03-02T14:00:00' }
    const { task_id } = await desk.call('schedule_task', once)
    desk.foundation.clock.set('2026-03-02T13:00:01Z')
    await desk.foundation.store.db.updateTable('tasks').set({ next_fire: null, due_at: null }).execute()
    await desk.addRun({ task_id, state: 'running' })
    await desk.call('set_task', { task_id, prompt: 'q' }, asRoot(desk))
    expect(await desk.row(task_id)).toMatchObject({ prompt: 'q', next_fire: null, due_at: null })
  })

  it('checks as schedule_task does, and changes nothing then', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', daily)
    const before = await desk.row(task_id)
    for (const wrong of [
      { schedule_value: '@daily' },
      { timezone: 'Mars/X' },
      { args: {} },
      { target_chat_id: 'main' },
    ]) {
      expect(await desk.refused('set_task', { task_id, ...wrong }, asRoot(desk))).toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
    expect(await desk.refused('set_task', { task_id: unknownTask, prompt: 'q' }, asRoot(desk))).toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await desk.row(task_id)).toEqual(before)
  })

  it('does not give a name twice', async () => {
    await using desk = await openDesk()
    await desk.call('schedule_task', { ...daily, name: 'papers' })
    const { task_id } = await desk.call('schedule_task', daily)
    expect(await desk.refused('set_task', { task_id, name: 'papers' }, asRoot(desk))).toMatchObject({
      code: 'CONFLICT',
    })
  })

  it('gives a tool task other arguments, checked against its tool', async () => {
    await using desk = await openDesk()
    desk.hubTools = [{ name: 'web_search', inputSchema: { type: 'object', required: ['query'] } }]
    const { task_id } = await desk.call('schedule_task', { ...daily, tool: 'web_search', args: { query: 'a' } })
    expect(await desk.refused('set_task', { task_id, args: {} }, asRoot(desk))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('query'),
    })
    await desk.call('set_task', { task_id, args: { query: 'b' } }, asRoot(desk))
    await desk.call('set_task', { task_id, tool: 'web_search' }, asRoot(desk))
    expect(await desk.row(task_id)).toMatchObject({ tool: 'web_search', args: '{"query":"b"}' })
  })
})

describeBothDatabases('redrive_run', (database) => {
  it('gives a dead run fresh attempts', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { task_id } = await desk.call('schedule_task', daily)
    const run_id = await desk.addRun({ task_id, state: 'ended', outcome: 'dead', attempts: 3 })
    expect(await desk.call('redrive_run', { run_id }, asRoot(desk))).toMatchObject({ run_id, state: 'queued' })
    expect(desk.scheduling.wakes).toBe(2)
    expect(await desk.refused('redrive_run', { run_id }, asRoot(desk))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('queued'),
    })
    expect(await desk.activity()).toEqual(['task_created', 'run_retry'])
  })
})

describe('redrive_run', () => {
  it('refuses a run of a cancelled task, an unknown run, and what is no id', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', daily)
    const run_id = await desk.addRun({ task_id, state: 'ended', outcome: 'dead' })
    await desk.call('cancel_task', { task_id })
    const codes = []
    for (const id of [run_id, unknownRun, 'run_1']) {
      codes.push((await desk.refused('redrive_run', { run_id: id }, asRoot(desk))).code)
    }
    expect(codes).toEqual(['CONFLICT', 'NOT_FOUND', 'INVALID_ARGUMENT'])
    expect(await desk.run(run_id)).toMatchObject({ outcome: 'dead' })
  })
})

describeBothDatabases('list_runs', (database) => {
  it('lists newest first, by task, group, outcome and state', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { task_id } = await desk.call('schedule_task', { ...daily, name: 'papers' })
    const other = await desk.call('schedule_task', daily)
    const now = desk.foundation.clock.now()
    const dead = await desk.addRun({
      task_id,
      state: 'ended',
      outcome: 'dead',
      attempts: 3,
      started_at: now,
      finished_at: now + 1_500,
      error: 'No.',
    })
    const ok = await desk.addRun({ task_id: other.task_id, state: 'ended', outcome: 'ok' })
    const queued = await desk.addRun({ task_id, scheduled_for: now + hour, group_folder: 'shop' })
    const list = async (filter: object) =>
      (await desk.call('list_runs', { ...filter }, asRoot(desk))).runs.map(({ run_id }) => run_id)
    expect(await list({})).toEqual([queued, ok, dead])
    expect(await list({ limit: 1 })).toEqual([queued])
    expect(await list({ task_id })).toEqual([queued, dead])
    expect(await list({ group: 'shop' })).toEqual([queued])
    expect(await list({ outcome: 'ok' })).toEqual([ok])
    expect(await list({ state: 'ended', task_id })).toEqual([dead])
    const { runs } = await desk.call('list_runs', { outcome: 'dead' }, asRoot(desk))
    expect(runs).toEqual([
      {
        run_id: dead,
        task_id,
        trigger_id: null,
        mail_id: null,
        name: 'papers',
        group: 'lab',
        scheduled_for: new Date(now).toISOString(),
        state: 'ended',
        outcome: 'dead',
        attempts: 3,
        slots: 1,
        started_at: new Date(now).toISOString(),
        finished_at: new Date(now + 1_500).toISOString(),
        duration_ms: 1_500,
        error_class: null,
        error: 'No.',
      },
    ])
  })

  it('shows the attempts of one run, and nothing of token, process or lease', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { task_id } = await desk.call('schedule_task', daily)
    const run_id = await desk.addRun({ task_id, state: 'running', attempts: 2 })
    const attempt = (n: number, more: object) =>
      desk.foundation.store.db
        .insertInto('attempts')
        .values({
          run_id,
          n,
          owner: 'process_x',
          fence: n,
          lease_until: 9,
          started_at: 1_000,
          messages_sent: 0,
          repeatable: 1,
          tool_calls: 0,
          ...more,
        })
        .execute()
    await attempt(1, { outcome: 'failed', finished_at: 3_000, result: 'Half.', stderr_tail: 'oops', token_hash: 'f00' })
    await attempt(2, {})
    const reply = await desk.call('list_runs', { run_id }, asRoot(desk))
    expect(reply).toMatchObject({
      runs: [{ run_id }],
      attempts: [
        { attempt: 2, outcome: null, finished_at: null },
        { attempt: 1, outcome: 'failed', duration_ms: 2_000, result: 'Half.', stderr_tail: 'oops' },
      ],
    })
    expect(JSON.stringify(reply)).not.toMatch(/f00|process_x|lease/)
  })
})

describe('list_runs', () => {
  it('takes a limit of 1 to 500', async () => {
    await using desk = await openDesk()
    for (const limit of [0, -1, 1.5, 501, '50']) {
      expect(await desk.refused('list_runs', { limit }, asRoot(desk))).toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
    expect(await desk.call('list_runs', { limit: 500 }, asRoot(desk))).toMatchObject({ runs: [] })
  })

  it('does not know an unknown run', async () => {
    await using desk = await openDesk()
    expect(await desk.refused('list_runs', { run_id: unknownRun }, asRoot(desk))).toMatchObject({ code: 'NOT_FOUND' })
  })
})
