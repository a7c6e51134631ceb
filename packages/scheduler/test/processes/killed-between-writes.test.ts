import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@callboard/worker/testing'
import { expect, it } from 'vitest'
import { openEngineRig } from '../support/engine-rig.js'
import { openTestFoundation } from '../support/test-foundation.js'

const program = new URL('../support/processes/dying-engine.mjs', import.meta.url)
const hour = 60 * 60_000
/** Longer than the first pause before a retry. */
const pause = 40_000

/**
 * A process fires, claims, fails, waits, runs again and settles, and dies before its n-th write; then another one goes on until the
 * slot after. Returns whether it died.
 */
async function goesOnAfter(dieAt: number): Promise<boolean> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'callboard-dying-'))
  try {
    const location = { dataDirectory }
    const clock = new VirtualClock()
    await using foundation = await openTestFoundation({ location, clock })
    await using rig = await openEngineRig({ foundation })
    rig.runner.answer = ({ attempt }) =>
      attempt === 1 ? { error: { class: 'exit', text: 'The first attempt fails.', transient: true } } : { text: 'done' }
    const anchor = clock.now()
    const schedule = { type: 'interval' as const, everyMs: hour, anchor, timeZone: 'UTC' }
    const id = await rig.addTask({ schedule, deliver: 'log' })

    const times = [anchor + hour, anchor + hour + pause]
    const child = fork(program, [JSON.stringify({ location, times, dieAt })])
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    const hasDied = signal === 'SIGKILL'
    if (!hasDied) expect(code).toBe(0)

    clock.set(anchor + hour + pause)
    await rig.runUntil(anchor + 2 * hour + 30 * 60_000)
    const runs = await rig.runs(id)
    expect(runs).toMatchObject([
      { at: new Date(anchor + hour).toISOString(), state: 'ended', outcome: 'ok' },
      { at: new Date(anchor + 2 * hour).toISOString(), state: 'ended', outcome: 'ok', attempts: 2 },
    ])
    // One that fails by itself, at most one that died, and the good one.
    expect(runs[0]!.attempts).toBeLessThanOrEqual(3)
    expect(await rig.task(id)).toMatchObject({ status: 'active', next_fire: anchor + 3 * hour, failures: 0 })
    const messages = await foundation.store.db.selectFrom('messages').select('run_id').execute()
    expect(messages.map(({ run_id }) => run_id).sort()).toEqual(runs.map((run) => run.id).sort())
    const open = await foundation.store.db
      .selectFrom('attempts')
      .select('run_id')
      .where('outcome', 'is', null)
      .execute()
    expect(open).toEqual([])
    return hasDied
  } finally {
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

it('kill -9 before each write of a slot: none is lost, none is made twice', async () => {
  let dieAt = 1
  while (await goesOnAfter(dieAt)) dieAt += 1
  // From the transaction that fires to the one that settles.
  expect(dieAt).toBeGreaterThan(20)
}, 180_000)
