import { QdaFailure } from '../failure.js'
import { TextIndex } from './text-index.js'

export interface NormalizedContent {
  readonly text: string
  /** Whether the text is another than the given one. */
  readonly changed: boolean
}

/**
 * The text as it is stored: without a byte order mark at its start, each line end one LF, and nothing else changed.
 * @throws QdaFailure INVALID_CONTENT for a NUL or half a surrogate pair; `details.position` counts code points of what was given.
 */
export function normalizeContent(content: string): NormalizedContent {
  const unstorable = /\0|\p{Surrogate}/u.exec(content)
  if (unstorable !== null) throw refusal(content, unstorable.index)
  const text = content.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  return { text, changed: text !== content }
}

function refusal(content: string, unit: number): QdaFailure {
  const position = new TextIndex(content).toCodePoint(unit)
  const what = content[unit] === '\0' ? 'a NUL character' : 'half of a surrogate pair'
  return new QdaFailure('INVALID_CONTENT', `The content has ${what} at position ${position}; remove it and try again`, {
    details: { position },
  })
}
