import { abortGraceMs, byeWaitMs, drainAcknowledgeMs } from './limits.js'

/**
 * The way out: finish what is held, abort what is left, say BYE, hear BYE. Times are this machine's. Where only the hub
 * ends, the way ends with the sign-in. [CB-78]
 */
export type DrainStage =
  | { readonly name: 'none' }
  /** BYE waits for `acknowledgedAt`: until then requests may still be on their way. */
  | { readonly name: 'finishing'; readonly until: number; readonly acknowledgedAt: number }
  | { readonly name: 'aborting'; readonly until: number }
  | { readonly name: 'leaving'; readonly until: number }

export type DrainStep = 'wait' | 'abort' | 'leave' | 'close'

export class Drain {
  #stage: DrainStage = { name: 'none' }
  #isForGood = false

  get isOn(): boolean {
    return this.#stage.name !== 'none'
  }

  get isLeaving(): boolean {
    return this.#stage.name === 'leaving'
  }

  /** On, and the worker does not come back. */
  get isForGood(): boolean {
    return this.#isForGood
  }

  /** `isForGood`: once true, it stays so. */
  begin(now: number, drainMs: number, acknowledged: boolean, isForGood: boolean): void {
    this.#isForGood ||= isForGood
    if (this.#stage.name === 'none') {
      this.#stage = {
        name: 'finishing',
        until: now + drainMs,
        acknowledgedAt: now + (acknowledged ? 0 : drainAcknowledgeMs),
      }
    } else if (this.#stage.name === 'finishing') {
      // Both ends asked: the shorter time holds.
      this.#stage = { ...this.#stage, until: Math.min(this.#stage.until, now + drainMs) }
      if (acknowledged) this.acknowledge(now)
    }
  }

  acknowledge(now: number): void {
    if (this.#stage.name === 'finishing') {
      this.#stage = { ...this.#stage, acknowledgedAt: Math.min(this.#stage.acknowledgedAt, now) }
    }
  }

  /** What is to be done at this time, with this many handlers alive. Asking moves the stage on. */
  advance(now: number, held: number): DrainStep {
    const stage = this.#stage
    switch (stage.name) {
      case 'none':
        return 'wait'
      case 'finishing':
        if (held > 0) {
          if (now < stage.until) return 'wait'
          this.#stage = { name: 'aborting', until: now + abortGraceMs }
          return 'abort'
        }
        return now < stage.acknowledgedAt ? 'wait' : this.#leave(now)
      case 'aborting':
        return held > 0 && now < stage.until ? 'wait' : this.#leave(now)
      case 'leaving':
        return now < stage.until ? 'wait' : 'close'
      default:
        return stage satisfies never
    }
  }

  /** There is no hub to take leave of. */
  linkLost(now: number): void {
    if (!this.#isForGood) this.#stage = { name: 'none' }
    if (this.#stage.name === 'finishing') this.#stage = { name: 'aborting', until: now + abortGraceMs }
    if (this.#stage.name === 'leaving') this.#stage = { name: 'leaving', until: now }
  }

  nextDueAt(held: number): number {
    const stage = this.#stage
    switch (stage.name) {
      case 'none':
        return Number.POSITIVE_INFINITY
      case 'finishing':
        return held > 0 ? stage.until : stage.acknowledgedAt
      case 'aborting':
      case 'leaving':
        return stage.until
      default:
        return stage satisfies never
    }
  }

  #leave(now: number): DrainStep {
    this.#stage = { name: 'leaving', until: now + byeWaitMs }
    return 'leave'
  }
}
