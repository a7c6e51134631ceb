import type { Clock } from '../clock.js'

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

/** Time that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now: number
  #monotonic = 0
  readonly #sleepers = new Set<Sleeper>()

  /** UTC ms, or anything that Date.parse takes. */
  constructor(start: number | string = '2026-03-02T12:00:00Z') {
    this.#now = typeof start === 'number' ? start : Date.parse(start)
  }

  now = (): number => this.#now

  monotonic = (): number => this.#monotonic

  sleepUntil = (time: number, signal?: AbortSignal): Promise<void> => {
    if (time <= this.#now || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { until: time, wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }

  /** The earliest time that somebody sleeps for. */
  get nextWake(): number | undefined {
    const times = [...this.#sleepers].map(({ until }) => until)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  advance(ms: number): void {
    this.#monotonic += ms
    this.set(this.#now + ms)
  }

  /** Somebody set the clock: forward or back, and no time has passed. */
  set(time: number | string): void {
    this.#now = typeof time === 'number' ? time : Date.parse(time)
    for (const sleeper of [...this.#sleepers].sort((a, b) => a.until - b.until)) {
      if (sleeper.until <= this.#now) sleeper.wake()
    }
  }
}
