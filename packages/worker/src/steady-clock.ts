/** What the shell asks for the time. */
export interface Clock {
  /** Ms that never go back. */
  now(): number
  /** The same moment as UTC ms. */
  toUtc(time: number): number
}

/** A difference between the two system clocks that no rounding or slewing explains. */
const jumpMs = 1_000

/**
 * The monotonic clock, which doesn't count the time that a machine sleeps, moved forward by what the wall clock saw
 * beyond it. So a suspend shows as a gap, and setting the wall clock back stops no timer.
 */
export class SteadyClock implements Clock {
  #wallAhead = Date.now() - performance.now()
  #ahead = this.#wallAhead

  now(): number {
    const steady = performance.now()
    const jumped = Date.now() - steady - this.#wallAhead
    if (Math.abs(jumped) > jumpMs) {
      this.#wallAhead += jumped
      if (jumped > 0) this.#ahead += jumped
    }
    return steady + this.#ahead
  }

  toUtc(time: number): number {
    return Math.round(time - this.#ahead + this.#wallAhead)
  }
}
