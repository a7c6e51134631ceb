import { doubtAfterBeats, gapBeats } from '@callboard/protocol'

/** Serials, due times, missing echoes, and the rule for gaps of the event loop. [CB-70] [CB-72] */
export class Heartbeats {
  readonly #intervalMs: number
  #serial = 0
  #dueAt = Number.POSITIVE_INFINITY
  #unanswered = 0
  #ranAt: number
  /** Set by a gap: what arrives is doubtful until the echo of this serial or a later one. */
  #freshFrom: number | undefined

  constructor(intervalMs: number, now: number) {
    this.#intervalMs = intervalMs
    this.#ranAt = now
  }

  /** True when the loop stood still for longer than an interval. Steps come twice per interval, so it can't be missed. */
  noticeRun(now: number): boolean {
    const isGap = now - this.#ranAt > this.#intervalMs * gapBeats
    this.#ranAt = now
    // After a gap the next heartbeat is overdue, so the question for a fresh echo goes out with the next tick.
    if (isGap) this.#freshFrom = this.#serial
    return isGap
  }

  /** True while what arrives may have been buffered over a gap. */
  get isStale(): boolean {
    return this.#freshFrom !== undefined
  }

  get isSilent(): boolean {
    return this.#unanswered >= doubtAfterBeats
  }

  get dueAt(): number {
    return this.#dueAt
  }

  get runDueAt(): number {
    return this.#ranAt + this.#intervalMs / 2
  }

  /** Signed in: the first one at once, for the clock. */
  start(now: number): void {
    this.#dueAt = now
    this.#unanswered = 0
  }

  stop(): void {
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  /** A new sign-in begins: whatever the hub sends in it is younger than any gap before. */
  greet(): void {
    this.#freshFrom = undefined
  }

  /**
   * The serial of the heartbeat that is sent now. The next one falls on a quarter of the interval by the clock, which all workers
   * have, so that many of them wake a hub at rest a few times rather than each by itself.
   */
  next(now: number): number {
    const dueAt = now + this.#intervalMs
    this.#dueAt = dueAt - (dueAt % (this.#intervalMs / 4))
    this.#unanswered += 1
    return this.#serial++
  }

  /** True when this echo ends the doubt that a gap left. */
  echoed(serial: number): boolean {
    if (serial >= this.#serial) return false
    this.#unanswered = 0
    if (this.#freshFrom === undefined || serial < this.#freshFrom) return false
    this.#freshFrom = undefined
    return true
  }
}
