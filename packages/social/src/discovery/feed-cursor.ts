import { z } from 'zod'
import { failure } from '../envelope/failure.js'
import { readToken, writeToken } from '../envelope/opaque-token.js'
import { clockSkewMs, cursorLengthMax, feedCursorMs } from '../limits.js'

/** Where a post stands in the feed: by score, of equal ones the newer first. */
export interface FeedPlace {
  /** Unrounded, at the feed's time. */
  readonly score: number
  /** UTC ms. */
  readonly postedAt: number
  readonly id: number
}

/** The end of a page. */
export interface FeedCursor {
  /** For which time the feed was computed, UTC ms: all its pages are. */
  readonly asOf: number
  readonly last: FeedPlace
}

/** What a Date can hold. */
const timeMax = 8.64e15

/** `t`ime, `s`core, `p`osted, `i`d. */
const shape = z.strictObject({
  t: z.int().min(0).max(timeMax),
  s: z.number().min(0).max(101),
  p: z.int().min(0).max(timeMax),
  i: z.int().min(1),
})

export function encodeFeedCursor({ asOf, last }: FeedCursor): string {
  const written: z.input<typeof shape> = { t: asOf, s: last.score, p: last.postedAt, i: last.id }
  return writeToken(written)
}

/** Throws `validation_error` for what no page has given, and for what is too old. */
export function decodeFeedCursor(text: string, now: number): FeedCursor {
  const parsed = shape.safeParse(text.length > cursorLengthMax ? undefined : readToken(text))
  if (!parsed.success) throw refused('is none that this tool gave')
  const { t: asOf, s: score, p: postedAt, i: id } = parsed.data
  if (asOf > now + clockSkewMs || asOf < now - feedCursorMs) throw refused('is too old')
  return { asOf, last: { score, postedAt, id } }
}

function refused(why: string) {
  return failure(
    'validation_error',
    `cursor: ${why}; take meta.pagination.next_token of the page before, or leave it out to begin at the best post.`,
  )
}
