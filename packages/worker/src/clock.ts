import { sleepMsMax } from './limits.js'

/** All time of a worker that is tested over hours: nothing else in it reads a clock or sets a timer. */
export interface Clock {
  /** UTC ms. May jump both ways. */
  now(): number
  /** ms since some start; never goes back. */
  monotonic(): number
  /** Resolves when `now()` has reached the time, however the clock was set meanwhile; at once when the signal aborts. */
  sleepUntil(time: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleepUntil(time, signal) {
    // In pieces: a clock that jumped is seen after one of them, and no timer is longer than Node can count.
    while (!signal?.aborted) {
      const left = time - Date.now()
      if (left <= 0) return
      await pause(Math.min(left, sleepMsMax), signal)
    }
  },
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
