import { countBelow } from './count-below.js'

/** Code points, zero-based, half-open. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** One stored text, and where its code points are among the UTF-16 units of JavaScript. */
export class TextIndex {
  readonly text: string
  /** In code points. */
  readonly length: number
  /** Code point positions of the characters that take two units, ascending. Empty: both ways of counting agree. */
  readonly #astral: Uint32Array
  #lineStarts: Uint32Array | undefined

  constructor(text: string) {
    this.text = text
    this.#astral = astralPositions(text)
    this.length = text.length - this.#astral.length
  }

  /** Whether no character takes two units. */
  get isPlain(): boolean {
    return this.#astral.length === 0
  }

  /** Positions outside the text become its start or end. */
  toUtf16(codePoint: number): number {
    const inside = Math.min(Math.max(codePoint, 0), this.length)
    return this.isPlain ? inside : inside + countBelow(this.#astral, inside)
  }

  /** A position between the two halves of a character is where that character starts; outside, the start or end. */
  toCodePoint(utf16: number): number {
    const inside = Math.min(Math.max(utf16, 0), this.text.length)
    return this.isPlain ? inside : inside - this.#astralBefore(inside)
  }

  /** Between two positions in code points. */
  slice(start: number, end: number): string {
    return this.text.slice(this.toUtf16(start), this.toUtf16(end))
  }

  /** The line that a code point is on, from 1. Line ends are those of regular expressions; CRLF is one. */
  lineAt(codePoint: number): number {
    this.#lineStarts ??= lineStarts(this.text)
    return countBelow(this.#lineStarts, this.toUtf16(codePoint) + 1)
  }

  /** A search for the first index whose unit position is not below; the n-th of them lies n units after its code point. */
  #astralBefore(utf16: number): number {
    const astral = this.#astral
    let low = 0
    let high = astral.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (astral[middle]! + middle < utf16) low = middle + 1
      else high = middle
    }
    return low
  }
}

const pair = /[\ud800-\udbff][\udc00-\udfff]/g

function astralPositions(text: string): Uint32Array {
  const positions: number[] = []
  pair.lastIndex = 0
  for (let found = nextPair(text); found >= 0; found = nextPair(text)) positions.push(found - positions.length)
  return Uint32Array.from(positions)
}

function nextPair(text: string): number {
  return pair.test(text) ? pair.lastIndex - 2 : -1
}

function lineStarts(text: string): Uint32Array {
  const starts = [0]
  for (const { 0: lineEnd, index } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(index + lineEnd.length)
  return Uint32Array.from(starts)
}
