import { z } from 'zod'
import type { ExtraMeta, Pagination } from '../envelope/envelope.js'
import { failure } from '../envelope/failure.js'
import { readToken, writeToken } from '../envelope/opaque-token.js'
import { pageBytesMax } from '../limits.js'

/** Where a page of that tool ends, as opaque text. */
export function writeCursor(tool: string, place: readonly (string | number)[]): string {
  return writeToken([tool, ...place])
}

/** What the same tool wrote. Throws `validation_error` for anything else. */
export function readCursor<Place extends z.ZodType>(
  tool: string,
  place: Place,
  cursor: string | undefined,
): z.output<Place> | undefined {
  if (cursor === undefined) return undefined
  const token = readToken(cursor)
  const [name, ...values] = Array.isArray(token) ? (token as readonly unknown[]) : []
  const parsed = place.safeParse(values)
  if (name === tool && parsed.success) return parsed.data
  throw failure('validation_error', `cursor: must be the meta.pagination.next_token of an earlier page of ${tool}`)
}

export function pagination(count: number, next: string | undefined): Pagination {
  return { result_count: count, has_more: next !== undefined, ...(next !== undefined && { next_token: next }) }
}

const idPlace = z.tuple([z.int().min(0)])

/** The last id of the page before; 0 for the first page. */
export function idAfter(tool: string, cursor: string | undefined): number {
  return readCursor(tool, idPlace, cursor)?.[0] ?? 0
}

/** A page of rows in the order of their ids, of which one more than `limit` was asked for. */
export function pageOf<Item extends { readonly id: number }>(
  tool: string,
  rows: readonly Item[],
  limit: number,
): { readonly items: readonly Item[]; readonly meta: ExtraMeta } {
  const items = withinBytes(rows.slice(0, limit), pageBytesMax)
  const last = items.at(-1)
  const next = rows.length > items.length && last !== undefined ? writeCursor(tool, [last.id]) : undefined
  return { items, meta: { pagination: pagination(items.length, next) } }
}

/** The first ones that fit together, as JSON; always at least so many. */
export function withinBytes<Item>(items: readonly Item[], bytesMax: number, least = 1): Item[] {
  let bytes = 0
  const over = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item))
    return index >= least && bytes > bytesMax
  })
  return over === -1 ? [...items] : items.slice(0, over)
}
