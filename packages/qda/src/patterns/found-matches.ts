import type { SearchedText } from './text-batches.js'
import type { FoundMessage } from './thread-messages.js'

/** UTF-16 offsets, [start, end). */
export interface UnitRange {
  readonly start: number
  readonly end: number
}

export interface PatternMatch extends UnitRange {
  /** What group 1 took, where it was asked for and took part in the match. */
  readonly group?: UnitRange
}

/** From left to right; at least one. */
export interface MatchesIn<Id> {
  readonly id: Id
  readonly matches: readonly PatternMatch[]
}

export interface PatternMatches<Id> {
  /** Those that have matches, in the order in which they came. */
  readonly texts: readonly MatchesIn<Id>[]
  readonly total: number
  /** There are more matches, left out at a limit. */
  readonly isCut: boolean
}

/** Puts together what a thread found, batch by batch. */
export class FoundMatches<Id> {
  readonly #texts: MatchesIn<Id>[] = []
  #total = 0
  #isCut = false
  #isFull = false

  get isFull(): boolean {
    return this.#isFull
  }

  get matches(): PatternMatches<Id> {
    return { texts: this.#texts, total: this.#total, isCut: this.#isCut }
  }

  /** What was found in one batch, each with its text. */
  add(
    batch: readonly SearchedText<Id>[],
    { rows, isCut, isFull }: FoundMessage,
  ): readonly (readonly [SearchedText<Id>, readonly PatternMatch[]])[] {
    const found: [SearchedText<Id>, PatternMatch[]][] = []
    let current = -1
    for (let row = 0; row < rows.length; row += 5) {
      if (rows[row] !== current) {
        current = rows[row]!
        found.push([batch[current]!, []])
      }
      found.at(-1)![1].push(matchAt(rows, row))
    }
    for (const [{ id }, matches] of found) this.#texts.push({ id, matches })
    this.#total += rows.length / 5
    this.#isCut ||= isCut
    this.#isFull ||= isFull
    return found
  }
}

function matchAt(rows: Int32Array, row: number): PatternMatch {
  const range = { start: rows[row + 1]!, end: rows[row + 2]! }
  const start = rows[row + 3]!
  return start < 0 ? range : { ...range, group: { start, end: rows[row + 4]! } }
}
