import { describe, expect, it } from 'vitest'
import { type EngineRig, openEngineRig, type TaskSpec } from '../support/engine-rig.js'

const minute = 60_000

describe('a slot that comes while the one before still runs', () => {
  it('skip: is recorded and not run', async () => {
    await using rig = await openEngineRig()
    const id = await threeSlots(rig, { overlap: 'skip' })
    expect(outcomes(await rig.runs(id))).toEqual(['running', 'skipped_overlap', 'skipped_overlap'])
    expect(await rig.events('run_skipped')).toHaveLength(2)
    // What was never tried says nothing about how the task does.
    expect(await rig.task(id)).toMatchObject({ failures: 0 })
  })

  it('queue_one: one waits and runs after it', async () => {
    await using rig = await openEngineRig()
    const id = await threeSlots(rig, { overlap: 'queue_one' })
    expect(outcomes(await rig.runs(id))).toEqual(['running', 'queued', 'skipped_overlap'])
    rig.runner.open[0]!.finish()
    await rig.run()
    await rig.run()
    expect(outcomes(await rig.runs(id))).toEqual(['ok', 'running', 'skipped_overlap'])
  })

  it('cancel_running: stops the one before', async () => {
    await using rig = await openEngineRig()
    const id = await threeSlots(rig, { overlap: 'cancel_running' })
    await rig.run()
    await rig.run()
    expect(outcomes(await rig.runs(id))).toEqual(['cancelled', 'cancelled', 'running'])
    expect(rig.runner.open).toHaveLength(1)
    expect(await rig.events('run_fenced')).toEqual([])
  })

  it('allow: runs beside it', async () => {
    await using rig = await openEngineRig()
    const id = await threeSlots(rig, { overlap: 'allow' })
    expect(outcomes(await rig.runs(id))).toEqual(['running', 'running', 'running'])
  })

  it('closes one that waits for a retry, as failed', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => ({
      error: { class: 'network', text: 'No route.', transient: true, retryAfterMs: 10 * minute },
    })
    const id = await rig.addTask()
    await rig.runUntil(rig.foundation.clock.now() + 2 * minute)
    expect(outcomes(await rig.runs(id))).toEqual(['failed', 'waiting'])
    expect(await rig.task(id)).toMatchObject({ failures: 1 })
  })
})

describe('turns', () => {
  it('a group that is busy does not keep a quiet one waiting', async () => {
    await using rig = await openEngineRig({ config: { max_concurrent_runs: 2 } })
    for (let task = 0; task < 50; task += 1) await rig.addTask({ group_folder: 'main' })
    const quiet = await rig.addTask({ group_folder: 'lab' })
    await rig.runUntil(rig.foundation.clock.now() + minute)
    expect(rig.runner.open.map(({ request }) => request.group.folder).sort()).toEqual(['lab', 'main'])
    expect(outcomes(await rig.runs(quiet))).toEqual(['running'])
  })

  it('a thousand runs due at once are worked off in order, one group after the other', async () => {
    const groups = ['a', 'b', 'c', 'd'].map((folder) => ({ folder, isAdmin: folder === 'a' }))
    await using rig = await openEngineRig({ groups })
    const { clock } = rig.foundation
    const expected: string[] = []
    for (let index = 0; index < 250; index += 1) {
      for (const { folder } of groups) {
        const schedule = { type: 'once', at: clock.now() + minute + index, timeZone: 'UTC' } as const
        expected.push(await rig.addTask({ group_folder: folder, schedule }))
      }
    }
    rig.runner.answer = () => ({ text: 'ok' })
    clock.advance(2 * minute)
    while (rig.runner.started.length < 1_000) await rig.run()
    const order = rig.runner.started.map(({ idempotencyKey }) => idempotencyKey.split('@')[0])
    expect(order).toEqual(expected)
  }, 60_000)

  it('runs that continue the conversation of a group are one at a time, others beside them', async () => {
    await using rig = await openEngineRig()
    for (let task = 0; task < 3; task += 1) await rig.addTask({ context_mode: 'group' })
    await rig.addTask({ context_mode: 'isolated' })
    await rig.addTask({ context_mode: 'group', tool: 'say', args: '{}' })
    await rig.runUntil(rig.foundation.clock.now() + minute)
    const modes = rig.runner.open.map(({ request }) => (request.tool ? 'tool' : request.contextMode))
    expect(modes.sort()).toEqual(['group', 'isolated', 'tool'])
    rig.runner.open.find(({ request }) => request.contextMode === 'group' && !request.tool)!.finish()
    await rig.run()
    await rig.run()
    expect(rig.runner.open).toHaveLength(3)
  })

  it('waiting for a turn is no overlap', async () => {
    await using rig = await openEngineRig({ config: { max_concurrent_runs: 1, run_timeout_ms: 86_400_000 } })
    const first = await rig.addTask({ context_mode: 'group', schedule: everyMinutes(rig, 60) })
    const second = await rig.addTask({ context_mode: 'group', schedule: everyMinutes(rig, 60, 1) })
    await rig.runUntil(rig.foundation.clock.now() + 122 * minute)
    expect(outcomes(await rig.runs(first))).toEqual(['running', 'skipped_overlap'])
    expect(outcomes(await rig.runs(second))).toEqual(['queued', 'queued'])
  })

  it('a hub that was started anew is told of the tokens of what runs', async () => {
    await using rig = await openEngineRig()
    await rig.addTask()
    await rig.runUntil(rig.foundation.clock.now() + minute)
    rig.engine.hubChanged(false)
    rig.engine.hubChanged(true)
    expect(rig.hub.restored).toEqual([rig.runner.open[0]!.request.token])
  })

  it('nothing starts without a hub, and no attempt is lost by it', async () => {
    await using rig = await openEngineRig()
    const id = await rig.addTask()
    rig.hub.isAway = true
    await rig.runUntil(rig.foundation.clock.now() + minute)
    expect(await rig.runs(id)).toMatchObject([{ state: 'queued', attempts: 0 }])
    rig.hub.isAway = false
    await rig.runUntil(rig.foundation.clock.now() + 10_000)
    expect(await rig.runs(id)).toMatchObject([{ state: 'running', attempts: 1 }])
  })
})

function everyMinutes(rig: EngineRig, minutes: number, offset = 0) {
  const anchor = rig.foundation.clock.now() + offset
  return { type: 'interval', everyMs: minutes * minute, anchor, timeZone: 'UTC' } as const
}

async function threeSlots(rig: EngineRig, task: TaskSpec): Promise<string> {
  const id = await rig.addTask(task)
  await rig.runUntil(rig.foundation.clock.now() + 3 * minute)
  return id
}

function outcomes(runs: readonly { readonly state: string; readonly outcome: string | null }[]): string[] {
  return runs.map(({ state, outcome }) => outcome ?? state)
}
