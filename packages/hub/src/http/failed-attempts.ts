import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../mcp/logger.js'
import * as limits from './limits.js'

/**
 * What becomes of a token that is not good: whoever shows many waits for each answer, and the log has a line a minute. Nobody
 * is locked out, for that would be a way to lock others out; a good token never waits.
 */
export class FailedAttempts {
  readonly #log: Logger
  readonly #now: () => number
  #windowEndsAt = 0
  #count = 0

  constructor(log: Logger, now: () => number = Date.now) {
    this.#log = log
    this.#now = now
  }

  /** How long the answer is to wait, in ms. */
  add(why: string): number {
    if (this.#now() >= this.#windowEndsAt) this.#startWindow(why)
    this.#count += 1
    return this.#count > limits.failedAttemptsFree ? limits.failedAttemptPauseMs : 0
  }

  #startWindow(why: string): void {
    this.#log.warn({ why, earlier: this.#count }, 'an HTTP request with a token that is not good was refused')
    this.#windowEndsAt = this.#now() + limits.failedAttemptsWindowMs
    this.#count = 0
  }
}

export async function after<T>(ms: number, value: T): Promise<T> {
  await delay(ms, undefined, { ref: false })
  return value
}
