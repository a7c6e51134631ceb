import { firstTriesPerRetry, retriesAtOnceMax, retriesPerSecond } from './limits.js'

/**
 * How many calls of one service may be handed over a second time: a share of the first ones, and a few. Without it a
 * service whose workers fail one after the other would be killed by its own second tries.
 */
export class RetryBudget {
  // In parts of a retry, so that shares add up to whole ones.
  #parts = retriesAtOnceMax * firstTriesPerRetry
  #filledAt: number

  constructor(now: number) {
    this.#filledAt = now
  }

  /** A call that was handed over for the first time. */
  earn(): void {
    this.#add(1)
  }

  /** False: there is nothing left. */
  spend(now: number): boolean {
    this.#add(((now - this.#filledAt) / 1_000) * retriesPerSecond * firstTriesPerRetry)
    this.#filledAt = now
    if (this.#parts < firstTriesPerRetry) return false
    this.#parts -= firstTriesPerRetry
    return true
  }

  #add(parts: number): void {
    this.#parts = Math.min(retriesAtOnceMax * firstTriesPerRetry, this.#parts + parts)
  }
}
