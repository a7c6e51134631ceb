const windowMs = 1_000
/** Of fewer calls the next few may be quite different. */
const callsMin = 16
/** What the last window counts beside all those before it. */
const newest = 0.5
/** A rate that was not seen again for so long says nothing any more; one that took longer to see, for twice as long as that. */
const staleMs = 10_000

/** How many calls of a service end in a second while others wait: that is all that its workers can do. */
export class Throughput {
  #since: number | undefined
  #count = 0
  #perMs: number | undefined
  #staleAt = Number.NEGATIVE_INFINITY

  /** `isBusy`: calls wait. Without them the rate would be that of the callers. */
  ended(isBusy: boolean, now: number): void {
    if (!isBusy) {
      this.#since = undefined
      return
    }
    if (this.#since === undefined) {
      this.#since = now
      this.#count = 0
      return
    }
    this.#count++
    const elapsed = now - this.#since
    if (elapsed < windowMs || this.#count < callsMin) return
    const perMs = this.#count / elapsed
    const former = this.#rate(now)
    this.#perMs = former === undefined ? perMs : former + newest * (perMs - former)
    this.#staleAt = now + Math.max(staleMs, 2 * elapsed)
    this.#since = now
    this.#count = 0
  }

  /** How long so many calls take by what was seen; undefined while that is too little. */
  msFor(count: number, now: number): number | undefined {
    const perMs = this.#rate(now)
    return perMs === undefined ? undefined : count / perMs
  }

  #rate(now: number): number | undefined {
    return now < this.#staleAt ? this.#perMs : undefined
  }
}
