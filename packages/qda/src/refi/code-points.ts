/** A text whose positions are code points. Lone surrogates count as one each. */
export class CodePoints {
  readonly #text: string
  /** Code point positions of those that take two units of a string. */
  readonly #pairs: readonly number[]
  readonly length: number

  constructor(text: string) {
    const pairs: number[] = []
    for (const { index } of text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) pairs.push(index - pairs.length)
    this.#text = text
    this.#pairs = pairs
    this.length = text.length - pairs.length
  }

  slice(start: number, end: number): string {
    return this.#text.slice(this.#unit(start), this.#unit(end))
  }

  #unit(position: number): number {
    let low = 0
    let high = this.#pairs.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#pairs[middle]! < position) low = middle + 1
      else high = middle
    }
    return position + low
  }
}
