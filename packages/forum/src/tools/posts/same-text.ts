import { type JsonRecord, textAt } from '../../json/read-json.js'
import { comparedTitleLengthMax, forumClockSkewMs } from '../../limits.js'

/** Whether a forum has stored the one as the other: it takes away space around it. */
export function isSameText(stored: string | undefined, sent: string): boolean {
  return stored !== undefined && plain(stored) === plain(sent)
}

/** The same for titles, of which forums also tidy case, spaces and the marks at the end. */
export function isSameTitle(stored: string | undefined, sent: string): boolean {
  // Tidying takes longer the longer it is; a forum has no title of that length.
  if (stored === undefined || stored.length > comparedTitleLengthMax) return false
  return tidyTitle(stored) === tidyTitle(sent)
}

/** Whether it is not from before the write, as far as two clocks can tell. */
export function isMadeSince(made: JsonRecord, sentAt: number): boolean {
  const at = Date.parse(textAt(made, 'created_at') ?? '')
  return at >= sentAt - forumClockSkewMs
}

function plain(text: string): string {
  return text.normalize('NFC').replaceAll('\r\n', '\n').trim()
}

function tidyTitle(title: string): string {
  return plain(title)
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/([!?])\1+/g, '$1')
    .replace(/\s*[.!?]+$/, '')
}
