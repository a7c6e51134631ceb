<<<<<<< HEAD
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
=======
import type { z } from 'zod'
import type { Pagination } from '../envelope/envelope.js'
import { failure } from '../envelope/failure.js'

/** Where a page of that tool ends, as opaque text. */
export function writeCursor(tool: string, place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([tool, ...place])).toString('base64url')
}

/** What the same tool wrote. Throws `validation_error` for anything else. */
export function readCursor<Place extends z.ZodType>(
  tool: string,
  place: Place,
  cursor: string | undefined,
): z.output<Place> | undefined {
  if (cursor === undefined) return undefined
  const [name, ...values] = listIn(cursor)
  const parsed = place.safeParse(values)
  if (name === tool && parsed.success) return parsed.data
  throw failure('validation_error', `cursor: must be the meta.pagination.next_token of an earlier page of ${tool}`)
}

function listIn(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

export function pagination(count: number, next: string | undefined): Pagination {
  return { result_count: count, has_more: next !== undefined, ...(next !== undefined && { next_token: next }) }
>>>>>>> 0e30af433a0b917e3cc0840ae158a7594bf944e4
}
