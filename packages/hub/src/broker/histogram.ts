/** Upper bounds of the buckets, in ms: from a call that costs the hub alone to one that a person answers. */
export const bucketsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000]

/** How a number of times spread. `counts[i]`: those up to `bucketsMs[i]` and beyond the one before; the last: all longer ones. */
export interface Spread {
  readonly counts: readonly number[]
  readonly count: number
  readonly sumMs: number
}

/** Counts times into fixed buckets: no memory per observation. */
export class Histogram {
  readonly #counts = new Array<number>(bucketsMs.length + 1).fill(0)
  #count = 0
  #sumMs = 0

  observe(ms: number): void {
    let bucket = 0
    while (bucket < bucketsMs.length && ms > bucketsMs[bucket]!) bucket++
    this.#counts[bucket]!++
    this.#count++
    this.#sumMs += ms
  }

  read(): Spread {
    return { counts: [...this.#counts], count: this.#count, sumMs: this.#sumMs }
  }
}
