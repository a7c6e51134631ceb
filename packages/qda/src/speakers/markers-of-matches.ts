import { speakerLabelLengthMax } from '../limits.js'
import type { PatternMatch } from '../patterns/found-matches.js'
import type { Marker } from './find-markers.js'

/**
 * Markers by a pattern of the caller's, from its matches with their group 1. A match counts where it begins a line, after
 * blanks at most, and its label has 1 to 63 characters.
 */
export function* markersOfMatches(text: string, matches: Iterable<PatternMatch>): Generator<Marker> {
  let seen = 0
  for (const { start, end, group } of matches) {
    // Each character is looked at once, however many blanks there are before however many matches.
    const from = seen
    seen = end
    if (group === undefined || !beginsLine(text, from, start)) continue
    const length = group.end - group.start
    const label = length > 4 * speakerLabelLengthMax ? '' : text.slice(group.start, group.end).trim()
    if (label === '' || [...label].length > speakerLabelLengthMax) continue
    yield { label, from: start, start, end }
  }
}

/** A match may itself begin with the line break before it. */
function beginsLine(text: string, from: number, start: number): boolean {
  if (isLineBreak(text[start])) return true
  let at = start
  while (at > from && !isLineBreak(text[at - 1]) && /\s/.test(text[at - 1]!)) at--
  return at === 0 || isLineBreak(text[at - 1])
}

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r' || character === '\u2028' || character === '\u2029'
}
