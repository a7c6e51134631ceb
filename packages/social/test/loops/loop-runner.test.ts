import { expect, it } from 'vitest'
import type { Loop } from '../../src/loops/loop.js'
import { LoopRunner } from '../../src/loops/loop-runner.js'
import { deferred, until } from '../support/settled.js'
import { openTestFoundation } from '../support/test-foundation.js'

const loopOf = (turn: Loop['turn'], more: Partial<Loop> = {}): Loop => ({
  name: 'publisher',
  network: 'bluesky',
  everyMs: 15_000,
  keepsHours: false,
  turn,
  ...more,
})

it('runs its loops until it is closed', async () => {
  await using foundation = await openTestFoundation({ random: () => 0 })
  const { clock } = foundation
  const counts = { a: 0, b: 0 }
  const runner = new LoopRunner(foundation, [
    loopOf(
      async () => {
        counts.a += 1
      },
      { name: 'a' },
    ),
    loopOf(
      async () => {
        counts.b += 1
      },
      { name: 'b' },
    ),
  ])
  runner.start()
  runner.start()
  for (let n = 1; n <= 4; n += 1) {
    await until(() => counts.a === n && counts.b === n && clock.nextWake === clock.now() + 15_000)
    if (n < 4) clock.advance(15_000)
  }
  await runner.close()
  await runner.close()
  expect(clock.nextWake).toBeUndefined()
  runner.start()
  expect(counts).toEqual({ a: 4, b: 4 })
})

it('comes at once when it is woken, also while it works', async () => {
  await using foundation = await openTestFoundation({ random: () => 0 })
  const { clock } = foundation
  let count = 0
  let hold = deferred()
  const runner = new LoopRunner(foundation, [
    loopOf(async () => {
      count += 1
      await hold.promise
    }),
  ])
  runner.start()
  await until(() => count === 1)
  runner.wake('publisher')
  hold.resolve()
  await until(() => count === 2 && clock.nextWake === clock.now() + 15_000)
  runner.wake('publisher', 'mastodon')
  hold = deferred()
  runner.wake('publisher', 'bluesky')
  await until(() => count === 3)
  hold.resolve()
  await runner.close()
  expect(count).toBe(3)
})

it('aborts the turn that runs when it is closed, waits for its end, and leaves it due', async () => {
  await using foundation = await openTestFoundation({ random: () => 0 })
  const { clock, store } = foundation
  const steps: string[] = []
  const runner = new LoopRunner(foundation, [
    loopOf(async (signal) => {
      steps.push('begun')
      await clock.sleepUntil(Number.MAX_SAFE_INTEGER, signal)
      await store.db.selectFrom('cursors').selectAll().execute()
      steps.push('tidied up')
      signal.throwIfAborted()
    }),
  ])
  runner.start()
  await until(() => steps.length === 1)
  await runner.close()
  expect(steps).toEqual(['begun', 'tidied up'])
  const row = await store.db.selectFrom('cursors').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ lease_owner: null, due_at: clock.now(), failures: 0 })
  expect(foundation.logged).toEqual([])
})

it('refuses two loops of one name on one network', async () => {
  await using foundation = await openTestFoundation()
  const loop = loopOf(async () => {})
  expect(() => new LoopRunner(foundation, [loop, loop])).toThrow('two loops have one name')
})
