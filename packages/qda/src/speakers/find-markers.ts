import { speakerLabelLengthMax } from '../limits.js'
import { clockBeforeMarker, setOffClock } from './timestamps.js'

/** `name`: "Label:", `bracket`: "[Label]", `brace`: "{Label}", `hash`: "#Label:", `at`: "@Label:". */
export type MarkerFormat = 'name' | 'bracket' | 'brace' | 'hash' | 'at'

const markerFormats: readonly MarkerFormat[] = ['name', 'bracket', 'brace', 'hash', 'at']

/** Says who speaks from here on. UTF-16 offsets. */
export interface Marker {
  readonly label: string
  /** Where the turn before it ends: the start of the line, or of a time before the marker. */
  readonly from: number
  /** [start, end) is the marker with its brackets or colon. */
  readonly start: number
  readonly end: number
}

/**
 * Markers at the starts of lines, after blanks and a timestamp at most. A label has a letter in it, and at most 63
 * characters. Addresses ("http://") and clock times ("at 12:30") are no
 * markers. Only the beginning of a line is looked at,
 * so the time is linear in the text.
 */
export function* findMarkers(text: string, formats: readonly MarkerFormat[] = markerFormats): Generator<Marker> {
  const wanted = new Set(formats)
  for (const from of lineStarts(text)) {
    const marker = markerIn(text.slice(from, from + headLength), wanted)
    if (marker === undefined) continue
    const { label, start, end } = marker
    yield { label, from, start: from + start, end: from + end }
  }
}

/** After blanks, which a hostile text may have a million of. */
function* lineStarts(text: string): Generator<number> {
  const lines = /(?:^|\r\n|[\n\r\u2028\u2029])[^\S\n\r\u2028\u2029]*(?=[^\s])/gu
  for (const { index, 0: line } of text.matchAll(lines)) yield index + line.length
}

/** UTF-16 units: a time, a label of characters of two units each, another time, and blanks. */
const headLength = 300

interface HeadMarker {
  readonly label: string
  readonly start: number
  readonly end: number
}

function markerIn(head: string, wanted: ReadonlySet<MarkerFormat>): HeadMarker | undefined {
  const start = /^[\d[({#]/.test(head) ? (leadingClock.exec(head)?.[0].length ?? 0) : 0
  const rest = head.slice(start)
  const format = formatOf(rest)
  if (!wanted.has(format)) return undefined
  const match = expressions[format].exec(rest)
  const label = match?.[1]?.trim() ?? ''
  if (match === null || !/\p{L}/u.test(label)) return undefined
  const end = match[0].length
  const hasColon = format !== 'bracket' && format !== 'brace'
  if (hasColon && isAddressOrClock(match[0], label, rest.slice(end))) return undefined
  return { label, start, end: start + end }
}

const leadingClock = new RegExp(`^${clockBeforeMarker}`, 'u')

function formatOf(head: string): MarkerFormat {
  switch (head[0]) {
    case '[':
      return 'bracket'
    case '{':
      return 'brace'
    case '#':
      return 'hash'
    case '@':
      return 'at'
    default:
      return 'name'
  }
}

/** Letters with their marks, digits, blanks, and what stands in names: "Dr. O'Neil-Smith (interviewer) & P01/P02". */
const label = `([\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}\\p{Zs}_.,'’&/()+-]{0,${speakerLabelLengthMax - 1}}?)`
/** A time may stand between a label and its colon. */
const colon = `\\p{Zs}{0,5}(?:${setOffClock}\\p{Zs}{0,5})?[:：]`

const expressions: Readonly<Record<MarkerFormat, RegExp>> = {
  name: new RegExp(`^${label}${colon}`, 'u'),
  hash: new RegExp(`^#${label}${colon}`, 'u'),
  at: new RegExp(`^@${label}${colon}`, 'u'),
  bracket: new RegExp(`^\\[([^[\\]\\n\\r\\u2028\\u2029]{1,${speakerLabelLengthMax}}?):?\\]:?`, 'u'),
  brace: new RegExp(`^\\{([^{}\\n\\r\\u2028\\u2029]{1,${speakerLabelLengthMax}}?):?\\}:?`, 'u'),
}

/** "http://", "C:\", "mailto:a@b", "localhost:8080" and "at 10:30". Nobody writes a blank after the wide colon. */
function isAddressOrClock(marker: string, name: string, after: string): boolean {
  if (marker.endsWith('：')) return false
  if (/^(?:mailto|tel|urn|doi|data)$/i.test(name)) return /^\S/.test(after)
  return /^(?:\/\/|\\|\d)/.test(after)
}
