/** A seeded generator (sfc32): the same seed gives the same numbers on every machine. */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed | 0
    this.#b = 0x9e3779b9 | 0
    this.#c = 0x243f6a88 | 0
    // The first outputs of seeds that differ in one bit are alike.
    for (let round = 0; round < 15; round++) this.#word()
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    return this.#word() / 2 ** 32
  }

  /** A whole number, both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** True with this probability. A probability of 0 uses no number up, so that a fault that is off changes nothing. */
  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.integer(0, 255))
  }

  /** A generator of its own: what one part of a simulation draws does not shift the numbers of another. */
  fork(): Random {
    return new Random(this.#word())
  }

  #word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}
