import { sentenceReachUnits } from '../limits.js'
import { countBelow } from './count-below.js'
import { perText } from './per-text.js'
import type { TextIndex, TextRange } from './text-index.js'
import type { UnitSpan } from './unit-span.js'

export type Extension = 'match' | 'sentence' | 'line' | 'paragraph'

/**
 * A match with all of the sentences, lines or paragraphs that it touches, never with the line end after them. Paragraphs
 * have blank lines between them; a sentence ends at the end of its line. What has nothing but white space stays as it is.
 */
export function extendMatch(index: TextIndex, match: TextRange, extension: Extension): TextRange {
  if (extension === 'match') return match
  const span = trimmedSpan(index.text, { start: index.toUtf16(match.start), end: index.toUtf16(match.end) })
  if (span.start >= span.end) return match
  const { start, end } = extended(index, span, extension)
  return { start: index.toCodePoint(start), end: index.toCodePoint(end) }
}

function extended(index: TextIndex, span: UnitSpan, extension: Exclude<Extension, 'match'>): UnitSpan {
  switch (extension) {
    case 'sentence':
      return sentences(index, span)
    case 'line':
      return around(linesOf(index), span)
    case 'paragraph':
      return around(paragraphsOf(index), span)
    default:
      throw new Error(extension satisfies never)
  }
}

/** Stretches of a text in its order, each without the line end after it. */
interface Stretches {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

const linesOf = perText((text) => asStretches(lines(text)))
const paragraphsOf = perText((text) => asStretches(paragraphs(text)))

function around({ starts, ends }: Stretches, { start, end }: UnitSpan): UnitSpan {
  return { start: starts[countBelow(starts, start + 1) - 1]!, end: ends[countBelow(starts, end) - 1]! }
}

function asStretches(spans: readonly UnitSpan[]): Stretches {
  return { starts: spans.map(({ start }) => start), ends: spans.map(({ end }) => end) }
}

/** Those with more than white space. */
function lines(text: string): UnitSpan[] {
  const found: UnitSpan[] = []
  for (const { 0: line, index } of text.matchAll(/[^\n\r\u2028\u2029]+/g)) {
    if (/\S/.test(line)) found.push({ start: index, end: index + line.length })
  }
  return found
}

function paragraphs(text: string): UnitSpan[] {
  const found: UnitSpan[] = []
  for (const line of lines(text)) {
    const last = found.at(-1)
    const gap = last && text.slice(last.end, line.start)
    if (last && (gap === '\r\n' || gap?.length === 1)) found[found.length - 1] = { start: last.start, end: line.end }
    else found.push(line)
  }
  return found
}

// The rules of Unicode for all languages: the same on every machine.
const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' })

function sentences(index: TextIndex, span: UnitSpan): UnitSpan {
  const first = sentenceAt(index, span.start)
  const last = span.end <= first.end ? first : sentenceAt(index, span.end - 1)
  return trimmedSpan(index.text, { start: first.start, end: Math.max(last.end, span.end) })
}

function sentenceAt(index: TextIndex, unit: number): UnitSpan {
  const line = around(linesOf(index), { start: unit, end: unit + 1 })
  const from = wholeStart(index, Math.max(line.start, unit - sentenceReachUnits))
  const to = wholeStart(index, Math.min(line.end, unit + sentenceReachUnits))
  const found = segmenter.segment(index.text.slice(from, to)).containing(unit - from)
  if (found === undefined) return { start: unit, end: unit + 1 }
  return { start: from + found.index, end: from + found.index + found.segment.length }
}

/** Never between the halves of a pair. */
function wholeStart(index: TextIndex, unit: number): number {
  return index.toUtf16(index.toCodePoint(unit))
}

function trimmedSpan(text: string, { start, end }: UnitSpan): UnitSpan {
  const piece = text.slice(start, end)
  const from = end - piece.trimStart().length
  return { start: from, end: Math.max(from, start + piece.trimEnd().length) }
}
