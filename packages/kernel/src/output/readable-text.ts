import { textExcerptBytesMax, textMatchesMax, textSearchStepBytes } from '../limits.js'
import { characterAround, characterEnd, characterStart, decode } from './characters.js'

/** Bytes that lie together, from `offset` on; none at the end of the text. */
export interface Stretch {
  readonly offset: number
  readonly bytes: Buffer
}

/** A text of a run, read by byte offset while it grows and afterwards. */
export interface ReadableText {
  /** Bytes so far, with those that are no longer kept and those of an unfinished line. */
  readonly totalBytes: number
  /** What is before this offset never changes; a carriage return may still replace the rest. */
  readonly finalBytes: number
  /** Nothing more is expected: a character that lacks bytes now will lack them for ever. */
  readonly ended: boolean
  /** Why bytes in the middle or at the end cannot be read; null while all can. A sentence for the agent. */
  readonly loss: string | null
  /** At most `length` bytes from `offset` on, or from the next byte that is kept. Fewer only at a gap or at the end. */
  readAt(offset: number, length: number): Promise<Stretch>
}

export interface TextSlice {
  readonly text: string
  /** Bytes; where the text really begins: never within a character, never in what is not kept. */
  readonly offset: number
  /** Where to read on. An unfinished line is in `text`, but after this offset: it comes again, in its last form. */
  readonly nextOffset: number
  readonly totalBytes: number
}

export interface TextMatch {
  /** Bytes; where `line` begins. */
  readonly offset: number
  /** The line, or what is around the match in a long one. */
  readonly line: string
}

export interface TextMatches {
  readonly matches: readonly TextMatch[]
  readonly nextOffset: number
  readonly totalBytes: number
}

/** `offset` below 0 counts from the end. `limit` in bytes, at least 4. */
export async function sliceText(source: ReadableText, offset: number, limit: number): Promise<TextSlice> {
  const wanted = startOf(source, offset)
  const from = Math.max(0, wanted - 3)
  const near = await readFully(source, from, wanted - from + limit)
  const inGap = near.offset + near.bytes.length <= wanted
  const stretch = inGap ? await readFully(source, wanted, limit) : near
  // As of after the reading: what has come meanwhile is in the text.
  const { totalBytes, finalBytes, ended } = source
  const afterGap = stretch.offset > wanted
  const start = afterGap ? characterStart(stretch.bytes) : characterAround(stretch.bytes, wanted - stretch.offset)
  const bytes = stretch.bytes.subarray(start, start + limit)
  const begin = stretch.offset + start
  const mayGoOn = bytes.length === limit || (!ended && begin + bytes.length >= totalBytes)
  const shown = mayGoOn ? bytes.subarray(0, characterEnd(bytes)) : bytes
  return { text: decode(shown), offset: begin, nextOffset: Math.min(begin + shown.length, finalBytes), totalBytes }
}

/**
 * Lines that contain `pattern`, which is text and not an expression: an expression can be made to run for ever. One match
 * per line; `limit` bounds the bytes of all lines together.
 */
export async function searchText(
  source: ReadableText,
  pattern: string,
  offset: number,
  limit: number,
): Promise<TextMatches> {
  const needle = Buffer.from(pattern)
  const matches: TextMatch[] = []
  // What comes during the search waits for the next one.
  const end = source.totalBytes
  let at = startOf(source, offset)
  let room = limit
  let sought = needle
  while (at < end) {
    const { offset: base, bytes } = await readFully(source, at, textSearchStepBytes)
    const found = bytes.indexOf(sought)
    if (found < 0) {
      const stretchEnd = base + bytes.length
      const atGap = bytes.length < textSearchStepBytes
      at = atGap ? stretchEnd : stretchEnd - sought.length + 1
      continue
    }
    if (sought === needle) {
      if (matches.length >= textMatchesMax || room <= 0) return result(base + found)
      const match = await excerpt(source, base + found, needle.length)
      room -= Buffer.byteLength(match.line)
      matches.push(match)
    }
    // The rest of a line that matched is passed over.
    at = base + found + sought.length
    sought = sought === needle ? newline : needle
  }
  // A match may have begun in the last bytes and end in those to come.
  return result(source.ended || sought === newline ? at : Math.max(startOf(source, offset), at - needle.length + 1))

  function result(next: number): TextMatches {
    return { matches, nextOffset: Math.min(next, source.finalBytes), totalBytes: source.totalBytes }
  }
}

function startOf({ totalBytes }: ReadableText, offset: number): number {
  return Math.min(offset < 0 ? Math.max(0, totalBytes + offset) : offset, totalBytes)
}

const newline = Buffer.from('\n')

async function excerpt(source: ReadableText, at: number, length: number): Promise<TextMatch> {
  const before = Math.floor(textExcerptBytesMax / 2)
  const stretch = await readFully(source, Math.max(0, at - before), before + Math.max(before, length))
  const match = at - stretch.offset
  const lineStart = stretch.bytes.subarray(0, match).lastIndexOf(newline) + 1
  const start = lineStart > 0 || stretch.offset === 0 ? lineStart : characterStart(stretch.bytes)
  const lineEnd = stretch.bytes.indexOf(newline, match)
  const line = stretch.bytes.subarray(start, lineEnd < 0 ? undefined : lineEnd)
  return { offset: stretch.offset + start, line: decode(lineEnd < 0 ? line.subarray(0, characterEnd(line)) : line) }
}

/** Across the places where a text is kept, but not across a gap. */
async function readFully(source: ReadableText, offset: number, length: number): Promise<Stretch> {
  const first = await source.readAt(offset, length)
  const parts = [first.bytes]
  let end = first.offset + first.bytes.length
  while (first.bytes.length > 0 && end < first.offset + length) {
    const next = await source.readAt(end, first.offset + length - end)
    if (next.bytes.length === 0 || next.offset !== end) break
    parts.push(next.bytes)
    end += next.bytes.length
  }
  return { offset: first.offset, bytes: Buffer.concat(parts) }
}

/** A text that is wholly in memory, e.g. a result or an error. */
export function readableText(text: string): ReadableText {
  const bytes = Buffer.from(text)
  return {
    totalBytes: bytes.length,
    finalBytes: bytes.length,
    ended: true,
    loss: null,
    readAt: (offset, length) =>
      Promise.resolve({ offset: Math.min(offset, bytes.length), bytes: bytes.subarray(offset, offset + length) }),
  }
}
