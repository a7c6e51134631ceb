import { shiftedTextUnitsMax, shiftLengthMax } from '../limits.js'
import { FoldedText, type Folding } from './folded-text.js'
import type { TextIndex, TextRange } from './text-index.js'

/**
 * How a coding's stored positions fit its stored text: as code points; as UTF-16 units, in which the original counts when
 * coding by mouse; not at all, but the text is found once nearby; not at all.
 */
export type Verified = 'exact' | 'utf16' | 'shifted' | 'broken'

export interface StoredCoding {
  readonly index: TextIndex
  /** As stored, in whichever unit. */
  readonly pos0: number | null
  readonly pos1: number | null
  readonly seltext: string | null
}

export interface PlacedCoding extends TextRange {
  readonly verified: Verified
}

/**
 * Where a coding's text is. A broken one keeps its stored positions, moved into the text. Without a stored text nothing
 * contradicts the positions: a range of the text is then exact, anything else broken.
 */
export function placeCoding({ index, pos0, pos1, seltext }: StoredCoding): PlacedCoding {
  const start = pos0 ?? 0
  const end = pos1 ?? 0
  if (!seltext) return isRange(start, end, index.length) ? { verified: 'exact', start, end } : broken(index, start, end)
  if (isRange(start, end, index.length) && isSameText(index.slice(start, end), seltext)) {
    return { verified: 'exact', start, end }
  }
  return inUtf16(index, start, end, seltext) ?? shifted(index, start, seltext) ?? broken(index, start, end)
}

function isRange(start: number, end: number, length: number): boolean {
  return Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= length
}

/** What an editor shows as one line break may be stored as several things. */
const lineEnds: Folding = { pattern: /\r\n|\u2029/g, substitute: () => '\n' }

function isSameText(one: string, other: string): boolean {
  return one === other || withPlainLineEnds(one) === withPlainLineEnds(other)
}

function withPlainLineEnds(text: string): string {
  return text.replace(lineEnds.pattern, '\n')
}

function inUtf16(index: TextIndex, start: number, end: number, seltext: string): PlacedCoding | undefined {
  if (index.isPlain || !isRange(start, end, index.text.length)) return undefined
  if (!isSameText(index.text.slice(start, end), seltext)) return undefined
  return { verified: 'utf16', start: index.toCodePoint(start), end: index.toCodePoint(end) }
}

function shifted(index: TextIndex, start: number, seltext: string): PlacedCoding | undefined {
  if (!Number.isInteger(start) || seltext.length > shiftedTextUnitsMax) return undefined
  const wanted = withPlainLineEnds(seltext)
  // What was stored in units may have moved, too.
  const centres = index.isPlain ? [start] : [start, index.toCodePoint(start)]
  const places = new Map(
    centres.flatMap((centre) => nearby(index, centre, wanted)).map((place) => [place.start, place]),
  )
  const [only, ...others] = places.values()
  return only !== undefined && others.length === 0 ? { verified: 'shifted', ...only } : undefined
}

/** The first two places around a position where a text stands. */
function nearby(index: TextIndex, centre: number, wanted: string): TextRange[] {
  const first = index.toUtf16(centre - shiftLengthMax)
  const last = index.toUtf16(centre + shiftLengthMax)
  if (Math.abs(index.toCodePoint(first) - centre) > shiftLengthMax) return []
  const around = new FoldedText(windowOf(index.text, first, last, wanted.length), lineEnds)
  const places: TextRange[] = []
  for (let at = around.text.indexOf(wanted); at >= 0 && places.length < 2; at = around.text.indexOf(wanted, at + 1)) {
    if (first + around.toOriginal(at) > last) break
    places.push({
      start: index.toCodePoint(first + around.toOriginal(at)),
      end: index.toCodePoint(first + around.toOriginal(at + wanted.length)),
    })
  }
  return places
}

/** From the first place where a text may start to where it may end: each of its line ends may take two units. */
function windowOf(text: string, first: number, last: number, wantedUnits: number): string {
  const short = text.slice(first, last + wantedUnits)
  return short.includes('\r') ? text.slice(first, last + 2 * wantedUnits) : short
}

function broken(index: TextIndex, start: number, end: number): PlacedCoding {
  const from = inside(start, index.length)
  return { verified: 'broken', start: from, end: Math.max(from, inside(end, index.length)) }
}

function inside(position: number, length: number): number {
  return Number.isFinite(position) ? Math.min(Math.max(Math.trunc(position), 0), length) : 0
}
