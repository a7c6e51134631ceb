import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../src/clock.js'
import { sleepMsMax } from '../src/limits.js'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Whether the sleep has ended. */
function sleep(until: number, signal?: AbortSignal): { readonly isOver: boolean } {
  const state = { isOver: false }
  void systemClock.sleepUntil(until, signal).then(() => {
    state.isOver = true
  })
  return state
}

describe('a sleep', () => {
  it('ends at its time, however far that is', async () => {
    const sleeper = sleep(sleepMsMax * 100)
    await vi.advanceTimersByTimeAsync(sleepMsMax * 100 - 1)
    expect(sleeper.isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(sleeper.isOver).toBe(true)
  })

  it('to the end of time has no timer longer than Node can count', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const sleeper = sleep(Number.POSITIVE_INFINITY)
    await vi.advanceTimersByTimeAsync(sleepMsMax * 3)
    expect(sleeper.isOver).toBe(false)
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([sleepMsMax, sleepMsMax, sleepMsMax, sleepMsMax])
  })

  it('notices soon that the clock was set', async () => {
    const [forward, back] = [sleep(sleepMsMax * 60), sleep(sleepMsMax / 2)]
    vi.setSystemTime(sleepMsMax * 60)
    await vi.advanceTimersByTimeAsync(sleepMsMax)
    expect(forward.isOver).toBe(true)
    expect(back.isOver).toBe(true)

    const delayed = sleep(Date.now() + 1_000)
    vi.setSystemTime(0)
    await vi.advanceTimersByTimeAsync(sleepMsMax)
    expect(delayed.isOver).toBe(false)
  })

  it('into the past is none', async () => {
    const sleeper = sleep(0)
    await vi.advanceTimersByTimeAsync(0)
    expect(sleeper.isOver).toBe(true)
  })

  it('ends when it is aborted, and leaves no timer behind', async () => {
    const abort = new AbortController()
    const [sleeper, aborted] = [sleep(1_000, abort.signal), sleep(1_000, AbortSignal.abort())]
    abort.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(sleeper.isOver).toBe(true)
    expect(aborted.isOver).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})
