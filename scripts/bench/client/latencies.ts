import { bucketGrowth } from '../limits.js'

/** Bucket and count, in turn: as it travels between processes. */
export type PackedLatencies = readonly number[]

/** How long calls took, in buckets that grow by one percent: any number of calls in little memory. */
export class Latencies {
  readonly #counts = new Map<number, number>()
  #total = 0

  static of(packed: readonly PackedLatencies[]): Latencies {
    const latencies = new Latencies()
    for (const one of packed) {
      for (let index = 0; index < one.length; index += 2) latencies.#add(one[index]!, one[index + 1]!)
    }
    return latencies
  }

  record(ms: number): void {
    this.#add(Math.round(Math.log(Math.max(ms * 1_000, 1)) / growth), 1)
  }

  /** In µs; NaN when nothing was recorded. */
  quantile(share: number): number {
    let left = Math.ceil(this.#total * share)
    for (const [bucket, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      left -= count
      if (left <= 0) return Math.exp(bucket * growth)
    }
    return Number.NaN
  }

  pack(): number[] {
    return [...this.#counts].flat()
  }

  #add(bucket: number, count: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count)
    this.#total += count
  }
}

const growth = Math.log(bucketGrowth)
