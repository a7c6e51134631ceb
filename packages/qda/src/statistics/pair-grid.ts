import { QdaFailure } from '../failure.js'
import { cooccurrenceStepsMax } from '../limits.js'

/**
 * A number for each pair of codes. It is kept in two halves, under (a, b) and (b, a), so that what is added for one code
 * lies in one row.
 */
export class PairGrid {
  readonly #size: number
  readonly #cells: Float64Array
  #steps = 0

  constructor(size: number) {
    this.#size = size
    this.#cells = new Float64Array(size * size)
  }

  of(a: number, b: number): number {
    return this.#cells[a * this.#size + b]! + this.#cells[b * this.#size + a]!
  }

  /** Where to add what concerns this code and others, at their indexes, after saying how many these are. */
  rowOf(code: number, others: number): Float64Array {
    this.#takeSteps(others)
    return this.#cells.subarray(code * this.#size, (code + 1) * this.#size)
  }

  /** 1 to every pair of these codes. */
  addGroup(codes: readonly number[]): void {
    for (const [index, code] of codes.entries()) {
      const row = this.rowOf(code, index)
      for (let other = 0; other < index; other++) row[codes[other]!]! += 1
    }
  }

  /** Those that have at least `least`; the smaller index comes first. */
  pairsFrom(least: number): (readonly [number, number])[] {
    const pairs: (readonly [number, number])[] = []
    for (let a = 0; a < this.#size; a++) {
      for (let b = a + 1; b < this.#size; b++) if (this.of(a, b) >= least) pairs.push([a, b])
    }
    return pairs
  }

  #takeSteps(steps: number): void {
    this.#steps += steps
    if (this.#steps > cooccurrenceStepsMax) {
      throw new QdaFailure('INVALID_ARGUMENT', 'Too many codings overlap to be compared in one call.', {
        suggestions: ['Choose fewer codes or sources.'],
      })
    }
  }
}
