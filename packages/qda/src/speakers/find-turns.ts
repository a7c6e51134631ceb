import type { UnitRange } from '../patterns/found-matches.js'
import type { Marker } from './find-markers.js'
import { timestamps } from './timestamps.js'

export interface SpeakerTurn {
  readonly label: string
  /** What is said, in order, without blanks at the ends; at least one. UTF-16 offsets. */
  readonly pieces: readonly UnitRange[]
}

/**
 * A turn goes over all lines up to the next marker. Timestamps and the lines of subtitles about time cut it into pieces. Turns
 * in which nothing is said are left out; with `includeLabel`, the first piece begins with the marker.
 *
 * `markers` are those of the same text, from left to right. Takes linear time, and memory for one turn.
 */
export function* findTurns(
  text: string,
  markers: Iterable<Marker>,
  { includeLabel = false }: { readonly includeLabel?: boolean } = {},
): Generator<SpeakerTurn> {
  let marker: Marker | undefined
  for (const next of markers) {
    if (marker !== undefined) yield* turnOf(text, marker, next.from, includeLabel)
    marker = next
  }
  if (marker !== undefined) yield* turnOf(text, marker, text.length, includeLabel)
}

function* turnOf(text: string, marker: Marker, end: number, includeLabel: boolean): Generator<SpeakerTurn> {
  // With the character before, by which a line is known to begin or not.
  const pieces = piecesOf(text.slice(marker.end - 1, end), marker.end - 1)
  const [first, ...others] = pieces
  if (first === undefined) return
  const isBesideMarker = text.slice(marker.end, first.start).trim() === ''
  const start = includeLabel && isBesideMarker ? marker.start : first.start
  yield { label: marker.label, pieces: [{ start, end: first.end }, ...others] }
}

/** `said` is at `offset` of the text; its first character is not part of it. */
function piecesOf(said: string, offset: number): UnitRange[] {
  const pieces: UnitRange[] = []
  let from = 1
  for (const { index, 0: timestamp } of said.matchAll(timestamps)) {
    addTrimmed(pieces, said.slice(from, index), offset + from)
    from = index + timestamp.length
  }
  addTrimmed(pieces, said.slice(from), offset + from)
  return pieces
}

function addTrimmed(pieces: UnitRange[], piece: string, offset: number): void {
  const end = offset + piece.trimEnd().length
  const start = offset + piece.length - piece.trimStart().length
  if (start < end) pieces.push({ start, end })
}
