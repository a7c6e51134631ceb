/** At most so many firings in any second. */
export class FiringRate {
  readonly #most: number
  #recent: number[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Counts a firing; false, and not counted, when there were too many within the last second. */
  admit(now: number): boolean {
    this.#recent = this.#recent.filter((at) => at > now - 1_000)
    if (this.#recent.length >= this.#most) return false
    this.#recent.push(now)
    return true
  }
}
