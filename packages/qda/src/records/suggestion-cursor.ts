import { QdaFailure } from '../failure.js'

/** Where a suggestion stands in their order. */
export interface SuggestionPosition {
  /** UTC ms. */
  readonly createdAt: number
  readonly id: string
}

/** Opaque to whoever gets it. */
export function suggestionCursor({ createdAt, id }: SuggestionPosition): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url')
}

/** Throws a QdaFailure INVALID_ARGUMENT for what was never given out. */
export function positionOf(cursor: string): SuggestionPosition {
  const [, createdAt, id = ''] = form.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (createdAt !== undefined) return { createdAt: Number(createdAt), id }
  throw new QdaFailure('INVALID_ARGUMENT', 'cursor must be the next_cursor of an earlier page of this list.', {
    details: { path: 'cursor' },
  })
}

/** Both databases take such numbers, and such text. */
const form = /^(\d{1,15})\.([\w:-]{1,100})$/
