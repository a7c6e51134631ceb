import { countBelow } from '../text/count-below.js'
import type { TextIndex } from '../text/text-index.js'

/** A stored text as it leaves: with LF alone, and without a byte order mark or what no text file holds. */
export class ExportedText {
  readonly text: string
  /** How many characters became U+FFFD. */
  readonly replaced: number
  readonly #index: TextIndex
  /** Code points that go, ascending. */
  readonly #removed: Uint32Array

  constructor(index: TextIndex) {
    this.#index = index
    this.#removed = removedFrom(index)
    const text = this.#removed.length === 0 ? index.text : index.text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n')
    this.replaced = text.match(unwritable)?.length ?? 0
    this.text = text.replace(/\r/g, '\n').replace(unwritable, '\ufffd')
  }

  /** Code points. */
  get length(): number {
    return this.position(this.#index.length)
  }

  /** Of a code point of the stored text. */
  position(stored: number): number {
    return stored - countBelow(this.#removed, stored)
  }
}

const unwritable = /\0|\p{Surrogate}/gu

function removedFrom(index: TextIndex): Uint32Array {
  const removed: number[] = []
  if (index.text.startsWith('\ufeff')) removed.push(0)
  if (index.text.includes('\r\n'))
    for (const { index: unit } of index.text.matchAll(/\r\n/g)) removed.push(index.toCodePoint(unit))
  return Uint32Array.from(removed)
}
