import { describeBothDatabases } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it } from 'vitest'
import { type EngineRig, openEngineRig } from '../support/engine-rig.js'

const hour = 3_600_000
const day = 24 * hour

describe('a task that is due', () => {
  it('runs once per slot, and not again however often somebody looks', async () => {
    await using rig = await openEngineRig()
    const id = await rig.addTask({ schedule: once(rig, 1_000) })
    await rig.runUntil(rig.foundation.clock.now() + 1_000)
    for (let tick = 0; tick < 50; tick += 1) await rig.run()
    expect(rig.runner.started).toHaveLength(1)
    rig.runner.open[0]!.finish({ text: 'done' })
    await rig.runUntil(rig.foundation.clock.now() + 10 * day)
    expect(await rig.runs(id)).toMatchObject([{ outcome: 'ok', attempts: 1 }])
    expect(await rig.task(id)).toMatchObject({ status: 'completed', next_fire: null })
  })

  it('keeps its interval through 10,000 slots, of which slow runs swallow all but one in twenty', async () => {
    await using rig = await openEngineRig({ config: { min_interval_ms: 1_000 } })
    const { clock } = rig.foundation
    const anchor = clock.now()
    const id = await rig.addTask({ schedule: { type: 'interval', everyMs: 3_000, anchor, timeZone: 'UTC' } })
    for (let run = 1; run <= 500; run += 1) {
      clock.set(anchor + (run - 1) * 60_000 + 3_000 + (run % 7) * 100)
      await rig.engine.tick()
      await tillStarted(rig, run)
      clock.set(anchor + run * 60_000 + (run % 11) * 100)
      await rig.engine.tick()
      rig.runner.open[0]!.finish()
      await tillIdle(rig)
    }
    const rows = await rig.foundation.store.db
      .selectFrom('runs')
      .select('scheduled_for')
      .where('task_id', '=', id)
      .orderBy('scheduled_for')
      .execute()
    expect(rows.map(({ scheduled_for }) => scheduled_for)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => anchor + (index + 1) * 3_000),
    )
  }, 60_000)

  it('fires sixty days away, however the clock was set meanwhile', async () => {
    await using rig = await openEngineRig()
    const { clock } = rig.foundation
    const start = clock.now()
    const id = await rig.addTask({ schedule: { type: 'once', at: start + 60 * day, timeZone: 'UTC' } })
    await rig.runUntil(start + 10 * day)
    clock.set(start + 10 * day - 2 * hour)
    await rig.runUntil(start + 20 * day)
    clock.set(start + 22 * day)
    await rig.runUntil(start + 60 * day - 1)
    expect(rig.runner.started).toHaveLength(0)
    await rig.runUntil(start + 60 * day)
    expect(await rig.runs(id)).toMatchObject([{ state: 'running', late_ms: 0 }])
  })

  it('starts late by its jitter, while its slot stays what it was', async () => {
    await using rig = await openEngineRig()
    const { clock } = rig.foundation
    const anchor = clock.now()
    const schedule = { type: 'interval', everyMs: hour, anchor, timeZone: 'UTC' } as const
    const id = await rig.addTask({ schedule, jitter_ms: 600_000 })
    const { due_at } = await rig.foundation.store.db.selectFrom('tasks').select('due_at').executeTakeFirstOrThrow()
    await rig.runUntil(due_at! - 1)
    expect(rig.runner.started).toHaveLength(0)
    await rig.runUntil(due_at!)
    expect(await rig.runs(id)).toMatchObject([
      { at: new Date(anchor + hour).toISOString(), state: 'running', late_ms: 0 },
    ])
  })

  it('is paused, once, when its row makes no sense', async () => {
    await using rig = await openEngineRig()
    const id = await rig.addTask({ schedule_type: 'cron', schedule_value: 'never mind' })
    await rig.runUntil(rig.foundation.clock.now() + day)
    expect(await rig.task(id)).toMatchObject({ status: 'paused', pause_reason: 'auto' })
    expect(rig.runner.started).toHaveLength(0)
    expect(await rig.events('task_auto_paused')).toHaveLength(1)
    expect(rig.messages.posted).toMatchObject([{ priority: 'notify', group: 'main' }])
  })
})

describe('slots that nobody was there for', () => {
  it('latest: one late run for the newest, the others recorded', async () => {
    await using rig = await openEngineRig()
    const id = await stoppedFor(rig, 3 * day, { missed: 'latest' })
    const runs = await rig.runs(id)
    expect(runs.filter(({ outcome }) => outcome === 'missed')).toHaveLength(71)
    expect(runs.at(-1)).toMatchObject({ state: 'running', late_ms: 30 * 60_000 })
    expect(rig.runner.started).toHaveLength(1)
    expect(await rig.events('run_missed')).toHaveLength(1)
  })

  it('skip: none, all recorded', async () => {
    await using rig = await openEngineRig()
    const id = await stoppedFor(rig, 3 * day, { missed: 'skip' })
    const runs = await rig.runs(id)
    expect(runs.filter(({ outcome }) => outcome === 'missed')).toHaveLength(72)
    expect(rig.runner.started).toHaveLength(0)
  })

  it('all: the oldest 24, in their order', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => ({ text: 'ok' })
    const id = await stoppedFor(rig, 3 * day, { missed: 'all' })
    const runs = await rig.runs(id)
    expect(runs.filter(({ outcome }) => outcome === 'missed')).toHaveLength(48)
    expect(runs.filter(({ outcome }) => outcome === 'ok')).toHaveLength(24)
    expect(rig.runner.started.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      runs.filter(({ outcome }) => outcome === 'ok').map(({ at }) => `${id}@${at}`),
    )
  })

  it('more than a hundred are one row more', async () => {
    await using rig = await openEngineRig()
    const id = await stoppedFor(rig, 6 * day, { missed: 'skip' })
    const runs = await rig.runs(id)
    expect(runs).toHaveLength(101)
    expect(runs.reduce((sum, { slots }) => sum + slots, 0)).toBe(6 * 24)
  })

  it('a once runs late, or ends as missed with a notice under skip', async () => {
    await using rig = await openEngineRig()
    const { clock } = rig.foundation
    const late = await rig.addTask({ schedule: once(rig, hour) })
    const never = await rig.addTask({ schedule: once(rig, hour), missed: 'skip' })
    clock.advance(day)
    await rig.run()
    expect(await rig.runs(late)).toMatchObject([{ state: 'running', late_ms: 23 * hour }])
    expect(await rig.runs(never)).toMatchObject([{ state: 'ended', outcome: 'missed' }])
    expect(await rig.task(never)).toMatchObject({ status: 'failed' })
    expect(rig.messages.posted).toHaveLength(1)
  })
})

describeBothDatabases('due work', (database) => {
  it('is made into runs exactly once by two processes', async () => {
    const location = await database.create()
    const clock = new VirtualClock()
    await using one = await openEngineRig({ location, clock, processId: 'process_a' })
    await using two = await openEngineRig({ location, clock, processId: 'process_b' })
    one.runner.answer = two.runner.answer = () => ({ text: 'ok' })
    for (let task = 0; task < 20; task += 1) await one.addTask()
    for (let slot = 0; slot < 25; slot += 1) {
      clock.advance(60_000)
      for (let round = 0; round < 5; round += 1) await Promise.all([one.run(), two.run()])
    }
    for (let round = 0; round < 10; round += 1) await Promise.all([one.run(), two.run()])
    const keys = [...one.runner.started, ...two.runner.started].map(({ idempotencyKey }) => idempotencyKey)
    expect(keys).toHaveLength(500)
    expect(new Set(keys).size).toBe(500)
  }, 120_000)
})

function once(rig: EngineRig, inMs: number) {
  return { type: 'once', at: rig.foundation.clock.now() + inMs, timeZone: 'UTC' } as const
}

/** An hourly task, a scheduler that is away for so long, and half an hour. */
async function stoppedFor(rig: EngineRig, ms: number, task: { missed: 'latest' | 'skip' | 'all' }): Promise<string> {
  const { clock } = rig.foundation
  const anchor = clock.now()
  const id = await rig.addTask({ ...task, schedule: { type: 'interval', everyMs: hour, anchor, timeZone: 'UTC' } })
  await rig.run()
  clock.set(anchor + ms + hour / 2)
  await rig.run()
  for (let turn = 0; turn < 30; turn += 1) await rig.run()
  return id
}

async function tillStarted(rig: EngineRig, count: number): Promise<void> {
  while (rig.runner.started.length < count) await new Promise((resolve) => setImmediate(resolve))
}

async function tillIdle(rig: EngineRig): Promise<void> {
  while (rig.engine.running > 0) await new Promise((resolve) => setImmediate(resolve))
}
