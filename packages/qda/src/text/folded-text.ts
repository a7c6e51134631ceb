import { countBelow } from './count-below.js'

/** What is written as one unit instead; the rest of a text stays. */
export interface Folding {
  /** Global, without groups. */
  readonly pattern: RegExp
  readonly substitute: (found: string) => string
}

/** A text with every match of a folding replaced by one unit, and the way back. Positions are UTF-16 units. */
export class FoldedText {
  readonly text: string
  /** Ends of the pieces that became shorter, in the folded and in the original text. */
  readonly #foldedEnds: number[] = []
  readonly #originalEnds: number[] = []

  constructor(original: string, { pattern, substitute }: Folding) {
    let lost = 0
    this.text = original.replace(pattern, (found: string, offset: number) => {
      if (found.length > 1) {
        lost += found.length - 1
        this.#originalEnds.push(offset + found.length)
        this.#foldedEnds.push(offset + found.length - lost)
      }
      return substitute(found)
    })
  }

  /** Where the unit at a position of the folded text starts in the original; also right for the end of a range. */
  toOriginal(position: number): number {
    const shortened = countBelow(this.#foldedEnds, position + 1)
    if (shortened === 0) return position
    return this.#originalEnds[shortened - 1]! + position - this.#foldedEnds[shortened - 1]!
  }

  /** The other way; a position inside a shortened piece is where that piece starts. */
  toFolded(position: number): number {
    const shortened = countBelow(this.#originalEnds, position + 1)
    const folded =
      shortened === 0 ? position : this.#foldedEnds[shortened - 1]! + position - this.#originalEnds[shortened - 1]!
    const nextEnd = this.#foldedEnds[shortened]
    return nextEnd === undefined ? folded : Math.min(folded, nextEnd - 1)
  }
}
