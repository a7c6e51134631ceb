import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
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
 */
export class EventLoopLag implements Disposable {
  #older = monitor()
  #younger = monitor()
  readonly #turning = setInterval(() => this.#turn(), eventLoopWindowMs).unref()

  read(): Lag {
    const { count, max } = this.#older
    if (count === 0) return { p50Ms: 0, p99Ms: 0, maxMs: 0 }
    const [p50Ms, p99Ms] = [50, 99].map((percentile) => lateMs(this.#older.percentile(percentile))) as [number, number]
    return { p50Ms, p99Ms, maxMs: lateMs(max) }
  }

  /** Idempotent. */
  [Symbol.dispose](): void {
    clearInterval(this.#turning)
    this.#older.disable()
    this.#younger.disable()
  }

  /** The same two again and again: whether Node frees one that is given up it does not say. */
  #turn(): void {
    const outdated = this.#older
    this.#older = this.#younger
    this.#younger = outdated
    outdated.reset()
  }
}

function monitor(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: eventLoopResolutionMs })
  histogram.enable()
  return histogram
}

/** Node records, in ns, how long its timer took to ring, which is on time after the resolution. */
const lateMs = (recordedNs: number): number => Math.max(0, recordedNs / 1e6 - eventLoopResolutionMs)
