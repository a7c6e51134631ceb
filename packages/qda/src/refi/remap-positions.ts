import { quoteComparedLength } from '../limits.js'
import { TextIndex } from '../text/text-index.js'

export interface PlacedSelection {
  readonly start: number
  readonly end: number
  /** What the program quoted, if it did. */
  readonly name: string | null
}

export interface RemapRequest<Selection extends PlacedSelection> {
  /** As it is in the file; of an inline text the parser has made LF of every CRLF. */
  readonly text: string
  readonly lineEnds: 'as written' | 'parsed'
  readonly selections: readonly Selection[]
  /** The program that wrote the project. */
  readonly origin: string | null
}

/** How many positions a line end of CR and LF takes. */
export type LineEndCount = 'one' | 'two'

export type RemappedSelection<Selection> =
  | {
      readonly kind: 'placed'
      readonly selection: Selection
      readonly start: number
      readonly end: number
      /** Whether the name quotes the text there. */
      readonly quoted: boolean
    }
  | { readonly kind: 'outside'; readonly selection: Selection }

export interface RemappedText<Selection> {
  /** With LF alone, and without a byte order mark. */
  readonly text: string
  /** Code points. */
  readonly length: number
  readonly selections: readonly RemappedSelection<Selection>[]
}

/**
 * Positions as code points of the text with LF alone. A selection whose name quotes the text under one count only is counted so; all
 * others as most of these, or as the program is known to count.
 */
export function remapPositions<Selection extends PlacedSelection>(
  request: RemapRequest<Selection>,
): RemappedText<Selection> {
  const { text, brokenAt } = normalLineEnds(request)
  const places = new Places(text, brokenAt)
  const evidence = request.selections.map((selection) => places.countThatQuotes(selection))
  const usual = mostOf(evidence) ?? countOf(request)
  const selections = request.selections.map((selection, index) => places.place(selection, evidence[index] ?? usual))
  return { text, length: places.length, selections }
}

/** The text, and the code point positions in it of the line ends that may have counted two. */
function normalLineEnds({ text: given, lineEnds }: RemapRequest<PlacedSelection>) {
  const marked = given.startsWith('\uFEFF') ? given.slice(1) : given
  const text = marked.replace(/\r\n?/g, '\n')
  const brokenAt: number[] = []
  let shorter = 0
  for (const { 0: found, index } of (lineEnds === 'parsed' ? text : marked).matchAll(lineEndsAndPairs[lineEnds])) {
    if (found.endsWith('\n')) brokenAt.push(index - shorter)
    if (found.length === 2) shorter += 1
  }
  return { text, brokenAt }
}

const lineEndsAndPairs = {
  'as written': /\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF]/g,
  parsed: /\n|[\uD800-\uDBFF][\uDC00-\uDFFF]/g,
} as const

class Places {
  readonly #points: TextIndex
  readonly #brokenAt: readonly number[]

  constructor(text: string, brokenAt: readonly number[]) {
    this.#points = new TextIndex(text)
    this.#brokenAt = brokenAt
  }

  get length(): number {
    return this.#points.length
  }

  place<Selection extends PlacedSelection>(selection: Selection, count: LineEndCount): RemappedSelection<Selection> {
    const start = this.#position(selection.start, count)
    const end = this.#position(selection.end, count)
    if (start < 0 || end <= start || end > this.length) return { kind: 'outside', selection }
    return { kind: 'placed', selection, start, end, quoted: this.#quotes(selection.name, start, end) }
  }

  /** Null where both do, or none, or nothing is quoted. */
  countThatQuotes(selection: PlacedSelection): LineEndCount | null {
    if (this.#brokenAt.length === 0 || selection.name === null) return null
    const one = this.place(selection, 'one')
    const two = this.place(selection, 'two')
    const quotedByOne = one.kind === 'placed' && one.quoted
    const quotedByTwo = two.kind === 'placed' && two.quoted
    if (quotedByOne === quotedByTwo) return null
    return quotedByOne ? 'one' : 'two'
  }

  /** Counting two, the line end at LF position p with k others before it took the positions p + k and p + k + 1. */
  #position(position: number, count: LineEndCount): number {
    if (count === 'one') return position
    let low = 0
    let high = this.#brokenAt.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#brokenAt[middle]! + middle < position) low = middle + 1
      else high = middle
    }
    return position - low
  }

  #quotes(name: string | null, start: number, end: number): boolean {
    if (name === null || name.trim() === '') return false
    return quotes(name, this.#points.slice(start, Math.min(end, start + 2 * quoteComparedLength)))
  }
}

/** Names are attributes, where line ends have become blanks; some programs cut them short. */
function quotes(name: string, slice: string): boolean {
  const wanted = folded(name.slice(0, quoteComparedLength))
  const found = folded(slice.slice(0, 2 * quoteComparedLength))
  const cut = /^(.+?)\s*(?:…|\.\.\.)$/.exec(wanted)?.[1]
  if (found === wanted || (cut !== undefined && found.startsWith(cut))) return true
  return name.length >= quoteComparedLength && found.startsWith(wanted)
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ')
}

function mostOf(counts: readonly (LineEndCount | null)[]): LineEndCount | null {
  const one = counts.filter((count) => count === 'one').length
  const two = counts.filter((count) => count === 'two').length
  if (one === two) return null
  return one > two ? 'one' : 'two'
}

/** QualCoder, and this worker as it, count one whatever the file has; of a parsed text there is nothing to count two of. */
function countOf({ origin, lineEnds }: RemapRequest<PlacedSelection>): LineEndCount {
  return lineEnds === 'parsed' || /ATLAS|QualCoder|callboard/i.test(origin ?? '') ? 'one' : 'two'
}
