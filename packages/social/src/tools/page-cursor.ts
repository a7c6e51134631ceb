import { z } from 'zod'
import type { ExtraMeta } from '../envelope/envelope.js'
import { failure } from '../envelope/failure.js'

/** What callers hand back as they got it: opaque to them, checked here. */
export function writeCursor(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** Throws `validation_error` for what this worker has not written. */
export function readCursor<Place>(cursor: string, schema: z.ZodType<Place>): Place {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')))
  } catch {
    throw failure(
      'validation_error',
      'cursor: is none of this tool; take meta.pagination.next_token of the page before.',
    )
  }
}

export const cursorInput = z
  .string()
  .min(1)
  .max(1_024)
  .optional()
  .describe('meta.pagination.next_token of the page before')

const idPlace = z.strictObject({ after: z.int().min(0) })

export const idCursor = (cursor: string | undefined) => (cursor === undefined ? 0 : readCursor(cursor, idPlace).after)

/** A page of rows in the order of their ids, of which one more than `limit` was asked for. */
export function pageOf<Item extends { readonly id: number }>(
  rows: readonly Item[],
  limit: number,
): { readonly items: readonly Item[]; readonly meta: ExtraMeta } {
  const items = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const last = items.at(-1)
  return {
    items,
    meta: {
      pagination: {
        result_count: items.length,
        has_more: hasMore,
        ...(hasMore && last !== undefined && { next_token: writeCursor({ after: last.id }) }),
      },
    },
  }
}
