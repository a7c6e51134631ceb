const windowMs = 1_000
/** Of fewer calls the next few may be quite different. */
const callsMin = 16
/** What the last window counts beside all those before it. */
const newest = 0.5

/** How many calls of a service end in a second while others wait: that is all that its workers can do. */
export class Throughput {
  #since: number | undefined
  #count = 0
  #perMs: number | undefined

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
    this.#perMs = this.#perMs === undefined ? perMs : this.#perMs + newest * (perMs - this.#perMs)
    this.#since = now
    this.#count = 0
  }

  /** How long so many calls take by what was seen; undefined while that is too little. */
  msFor(count: number): number | undefined {
    return this.#perMs === undefined ? undefined : count / this.#perMs
  }
}
