import { describeBothDatabases } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { expect, it } from 'vitest'
import type { Loop } from '../../src/loops/loop.js'
import { LoopRunner } from '../../src/loops/loop-runner.js'
import { LoopTurns } from '../../src/loops/loop-turns.js'
import { until } from '../support/settled.js'
import { openTestFoundation } from '../support/test-foundation.js'

const never = new AbortController().signal

describeBothDatabases('replicas over one database', (database) => {
  it('of many that find a loop due at the same moment one runs it', async () => {
    const location = await database.create()
    const clock = new VirtualClock()
    await using one = await openTestFoundation({ location, clock })
    await using two = await openTestFoundation({ location, clock })
    let running = 0
    let turns = 0
    const loop: Loop = {
      name: 'discovery',
      network: 'bluesky',
      everyMs: 60_000,
      keepsHours: false,
      async turn() {
        running += 1
        expect(running).toBe(1)
        turns += 1
        await one.store.db.selectFrom('cursors').selectAll().execute()
        running -= 1
      },
    }
    for (let round = 1; round <= 10; round += 1) {
      const replicas = [one, two, one, two].map((foundation) => new LoopTurns(foundation))
      await Promise.all(replicas.map((replica) => replica.take(loop, never)))
      expect(turns).toBe(round)
      clock.advance(2 * 60_000)
    }
  })

  it('two runners share the turns of an hour', async () => {
    const location = await database.create()
    const clock = new VirtualClock()
    await using one = await openTestFoundation({ location, clock, random: () => 0 })
    await using two = await openTestFoundation({ location, clock, random: () => 0 })
    const times: number[] = []
    const loop: Loop = {
      name: 'mentions',
      network: 'bluesky',
      everyMs: 5 * 60_000,
      keepsHours: false,
      async turn() {
        times.push((clock.now() - start) / 60_000)
      },
    }
    const start = clock.now()
    const leaseOwner = async () => {
      const row = await one.store.db.selectFrom('cursors').select('lease_owner').executeTakeFirst()
      return row?.lease_owner
    }
    const runners = [new LoopRunner(one, [loop]), new LoopRunner(two, [loop])]
    for (const runner of runners) runner.start()
    for (let minute = 0; minute <= 60; minute += 1) {
      const due = Math.floor(minute / 5) + 1
      await until(() => times.length >= due)
      // Before its lease runs out: time that flies while a turn ends is time in which it hangs.
      while ((await leaseOwner()) !== null) await Promise.resolve()
      await until(() => clock.nextWake !== undefined && clock.nextWake > clock.now())
      clock.advance(60_000)
    }
    for (const runner of runners) await runner.close()
    expect(times).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60])
  })
})
