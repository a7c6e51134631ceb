import { createHistogram } from 'node:perf_hooks'
import { eventLoopResolutionMs, eventLoopWindowMs } from './limits.js'

/** How late timers rang, in ms: at the median, at the 99th of 100, and at worst. */
export interface Lag {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/**
 * Watches the event loop from its making on. What it tells is of the last one to two windows: no reader resets it, so that
 * any number of scrapers see the same, and none that comes once in a window misses a spike.
 *
 * One timer of its own rather than Node's monitors, of which it would take two: to wake a process is most of what a hub at rest costs.
 */
export class EventLoopLag implements Disposable {
  #older = createHistogram()
  #younger = createHistogram()
  #beganAt = performance.now()
  #rangAt = this.#beganAt
  readonly #watching = setInterval(() => this.#rang(), eventLoopResolutionMs).unref()

  read(): Lag {
    const { count, max } = this.#older
    if (count === 0) return { p50Ms: 0, p99Ms: 0, maxMs: 0 }
    return { p50Ms: ms(this.#older.percentile(50)), p99Ms: ms(this.#older.percentile(99)), maxMs: ms(max) }
  }

  /** Idempotent. */
  [Symbol.dispose](): void {
    clearInterval(this.#watching)
  }

  #rang(): void {
    const now = performance.now()
    const lateMicros = Math.max(1, Math.round((now - this.#rangAt - eventLoopResolutionMs) * 1000))
    this.#rangAt = now
    if (now - this.#beganAt >= eventLoopWindowMs) this.#turn(now)
    this.#older.record(lateMicros)
    this.#younger.record(lateMicros)
  }

  #turn(now: number): void {
    const outdated = this.#older
    this.#older = this.#younger
    this.#younger = outdated
    outdated.reset()
    this.#beganAt = now
  }
}

const ms = (micros: number): number => micros / 1000
