import { describe, expect, it } from 'vitest'
import { failure } from '../../src/envelope/failure.js'
import type { Loop } from '../../src/loops/loop.js'
import { LoopTurns } from '../../src/loops/loop-turns.js'
import { deferred, until } from '../support/settled.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const minute = 60_000
const never = new AbortController().signal

const loopOf = (turn: Loop['turn'] = async () => {}, more: Partial<Loop> = {}): Loop => ({
  name: 'discovery',
  network: 'bluesky',
  everyMs: 15 * minute,
  keepsHours: false,
  turn,
  ...more,
})

/** Chance that gives no jitter. */
const open = (config: object = {}) => openTestFoundation({ config, random: () => 0 })

const rowOf = ({ store }: TestFoundation) => store.db.selectFrom('cursors').selectAll().executeTakeFirstOrThrow()

const alerts = ({ store }: TestFoundation) =>
  store.db.selectFrom('action_log').selectAll().where('status', '=', 'alert').execute()

describe('a turn', () => {
  it('runs at once the first time, then when its interval has passed', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const times: number[] = []
    const start = clock.now()
    const loop = loopOf(async () => void times.push(clock.now() - start))
    const turns = new LoopTurns(foundation)
    expect(await turns.take(loop, never)).toEqual({ lookAt: start + 15 * minute, isMet: true })
    clock.advance(15 * minute - 1)
    expect(await turns.take(loop, never)).toEqual({ lookAt: start + 15 * minute, isMet: true })
    clock.advance(1)
    await turns.take(loop, never)
    expect(times).toEqual([0, 15 * minute])
  })

  it('is done once at the next start, however often it was due meanwhile', async () => {
    await using foundation = await open()
    const { clock } = foundation
    let count = 0
    const loop = loopOf(async () => {
      count += 1
    })
    await new LoopTurns(foundation).take(loop, never)
    clock.advance(7 * 24 * 60 * minute)
    const afterRestart = new LoopTurns(foundation)
    await afterRestart.take(loop, never)
    await afterRestart.take(loop, never)
    expect(count).toBe(2)
  })

  it('comes a little later by chance, never sooner', async () => {
    await using foundation = await openTestFoundation({ random: () => 0.5 })
    const { clock } = foundation
    const { lookAt } = await new LoopTurns(foundation).take(loopOf(), never)
    expect(lookAt).toBe(clock.now() + 15 * minute + 30_000)
  })

  it('comes now when it is wanted, whenever it is due', async () => {
    await using foundation = await open()
    let count = 0
    const loop = loopOf(async () => {
      count += 1
    })
    const turns = new LoopTurns(foundation)
    await turns.take(loop, never)
    await turns.take(loop, never)
    await turns.take(loop, never, true)
    expect(count).toBe(2)
  })

  it('waits outside of the active hours, and is done when they begin', async () => {
    await using foundation = await open({ schedule: { active_hours_start: 13, active_hours_end: 14 } })
    const { clock } = foundation
    const times: string[] = []
    const loop = loopOf(async () => void times.push(new Date(clock.now()).toISOString()), { keepsHours: true })
    const turns = new LoopTurns(foundation)
    expect(await turns.take(loop, never, true)).toEqual({ lookAt: clock.now() + minute, isMet: true })
    clock.advance(60 * minute)
    await turns.take(loop, never)
    clock.advance(60 * minute)
    await turns.take(loop, never)
    expect(times).toEqual(['2026-03-02T13:00:00.000Z'])
  })

  it('is not kept waiting by a time that an older interval, or a wrong clock, has set', async () => {
    await using foundation = await open()
    const { clock, store } = foundation
    let count = 0
    const turns = new LoopTurns(foundation)
    await turns.take(loopOf(undefined, { everyMs: 7 * 24 * 60 * minute }), never)
    await turns.take(
      loopOf(async () => {
        count += 1
      }),
      never,
    )
    expect(count).toBe(1)
    await store.db
      .updateTable('cursors')
      .set({ lease_owner: 'who', lease_until: clock.now() + 1e10, due_at: 0 })
      .execute()
    await turns.take(
      loopOf(async () => {
        count += 1
      }),
      never,
    )
    expect(count).toBe(2)
  })
})

describe('the lease', () => {
  it('keeps everybody else away while the turn runs, however long, and is given back', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const end = deferred()
    const begun = deferred()
    const long = loopOf(() => {
      begun.resolve()
      return end.promise
    })
    const first = new LoopTurns(foundation).take(long, never)
    await begun.promise
    let others = 0
    const other = loopOf(async () => {
      others += 1
    })
    for (let passed = 0; passed < 8 * minute; passed += 20_000) {
      const before = (await rowOf(foundation)).lease_until!
      await until(() => clock.nextWake! <= clock.now() + 20_000)
      clock.advance(20_000)
      while ((await rowOf(foundation)).lease_until === before) await Promise.resolve()
      const { isMet } = await new LoopTurns(foundation).take(other, never, true)
      expect(isMet).toBe(false)
    }
    end.resolve()
    await first
    expect(others).toBe(0)
    expect(await rowOf(foundation)).toMatchObject({ lease_owner: null, lease_until: null, failures: 0 })
  })

  it('is taken over when it ran out, and whoever lost it stops and changes nothing', async () => {
    await using foundation = await open()
    const { clock, store } = foundation
    let reason: unknown
    const begun = deferred()
    const slow = loopOf(
      (signal) =>
        new Promise((_, reject) => {
          begun.resolve()
          signal.addEventListener('abort', () => {
            reason = signal.reason
            reject(reason)
          })
        }),
    )
    const first = new LoopTurns(foundation).take(slow, never)
    await begun.promise
    // Its process slept.
    await store.db.updateTable('cursors').set({ lease_until: clock.now() }).execute()
    let others = 0
    await new LoopTurns(foundation).take(
      loopOf(async () => {
        others += 1
      }),
      never,
    )
    const after = await rowOf(foundation)
    await until(() => clock.nextWake !== undefined)
    clock.advance(20_000)
    await first
    expect(others).toBe(1)
    expect(String(reason)).toContain('run by somebody else')
    expect(await rowOf(foundation)).toEqual(after)
  })

  it('ends with a turn that hangs, which counts as an error', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const begun = deferred()
    const hanging = loopOf(
      (signal) =>
        new Promise((_, reject) => {
          begun.resolve()
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
    const turn = new LoopTurns(foundation).take(hanging, never)
    await begun.promise
    await until(() => clock.nextWake !== undefined)
    clock.advance(10 * minute)
    await turn
    expect(await rowOf(foundation)).toMatchObject({ failures: 1, lease_owner: null })
    expect(foundation.logged.map(({ details }) => String((details as { err: Error }).err))).toEqual([
      'Error: the turn took more than 10 min',
    ])
  })
})

describe('errors', () => {
  const failing = loopOf(async () => {
    throw failure('network_unavailable', 'bluesky.test does not answer')
  })

  it('are retried sooner than the interval, and later each time', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const turns = new LoopTurns(foundation)
    const waits: number[] = []
    for (let n = 0; n < 6; n += 1) {
      const { lookAt } = await turns.take(failing, never)
      waits.push((lookAt - clock.now()) / minute)
      clock.set(lookAt)
    }
    expect(waits).toEqual([1, 2, 4, 8, 15, 15])
  })

  it('pause the loop 300 s when ten came in a row, with an alert', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const turns = new LoopTurns(foundation)
    const quick = { ...failing, everyMs: 15_000, logType: 'tweet' }
    const waits: number[] = []
    for (let n = 0; n < 20; n += 1) {
      const { lookAt } = await turns.take(quick, never)
      waits.push((lookAt - clock.now()) / 1000)
      clock.set(lookAt)
    }
    const tenth = [...Array(9).fill(15), 300]
    expect(waits).toEqual([...tenth, ...tenth])
    const rows = await alerts(foundation)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({
      action_type: 'tweet',
      message: 'The loop discovery on bluesky rests for 300 s after 10 errors in a row: bluesky.test does not answer',
    })
    expect(JSON.parse(rows[0]!.metadata)).toEqual({
      loop: 'discovery',
      network: 'bluesky',
      code: 'network_unavailable',
    })
  })

  it('are counted in a row only', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const turns = new LoopTurns(foundation)
    let count = 0
    const loop = loopOf(async () => {
      count += 1
      if (count % 10 !== 0) throw new Error('now and then')
    })
    for (let n = 0; n < 30; n += 1) clock.set((await turns.take(loop, never)).lookAt)
    expect(await alerts(foundation)).toEqual([])
    expect(await rowOf(foundation)).toMatchObject({ failures: 0 })
  })

  it('do not tell what an unknown one said: it may hold anything', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const turns = new LoopTurns(foundation)
    const loop = loopOf(async () => {
      throw new Error('Bearer secret')
    })
    for (let n = 0; n < 10; n += 1) clock.set((await turns.take(loop, never)).lookAt)
    const [alert] = await alerts(foundation)
    expect(alert!.message).toContain('for a reason of its own')
    expect(alert!.message + alert!.metadata).not.toContain('secret')
  })

  it('wait as long as the other side asked for, within reason', async () => {
    await using foundation = await open()
    const { clock } = foundation
    const asks = (retryAfterMs: number) =>
      loopOf(async () => {
        throw failure('network_rate_limited', 'later', { retryAfterMs })
      })
    const turns = new LoopTurns(foundation)
    const first = await turns.take(asks(20 * minute), never)
    expect(first.lookAt).toBe(clock.now() + 20 * minute)
    clock.set(first.lookAt)
    const second = await turns.take(asks(1e12), never)
    expect(second.lookAt).toBe(clock.now() + 60 * minute)
  })
})
