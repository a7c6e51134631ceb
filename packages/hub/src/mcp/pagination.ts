import { ProtocolError } from '@modelcontextprotocol/server'
import { invalidParams } from './json-rpc.js'
import { pageBytesMax } from './limits.js'
import { entryTextOf } from './list-text.js'

export interface Page<T> {
  readonly entries: readonly T[]
  readonly nextCursor?: string
}

/** Pages that clients get who ask for one after the other, by where they begin. */
interface Pages {
  readonly pageSize: number
  readonly byStart: Map<number, Page<object>>
  /** Where a page begins that may be kept: any other start would be somebody's invention, and there are as many as entries. */
  readonly starts: Set<number>
}

/** A list is the same array until it changes. */
const pagesOf = new WeakMap<readonly object[], Pages>()

/** As {@link pageOf}, made once per list. */
export function keptPageOf<T extends object>(
  list: string,
  entries: readonly T[],
  keyOf: (entry: T) => string,
  cursor: string | undefined,
  pageSize: number,
): Page<T> {
  const start = cursor === undefined ? 0 : startAfter(list, entries, keyOf, cursor)
  let pages = pagesOf.get(entries)
  if (pages?.pageSize !== pageSize) {
    pages = { pageSize, byStart: new Map(), starts: new Set([0]) }
    pagesOf.set(entries, pages)
  }
  const known = pages.byStart.get(start)
  if (known !== undefined) return known as Page<T>
  const page = pageFrom(list, entries, keyOf, start, pageSize, pageBytesMax)
  if (pages.starts.has(start)) {
    pages.byStart.set(start, page)
    pages.starts.add(start + page.entries.length)
  }
  return page
}

/**
 * One page of a list. The cursor names the list and the last entry that was sent, so that a list which changes between two
 * pages neither repeats nor loses an entry that was there all along; the position is what is left when that entry is gone.
 * A page ends at `pageSize` entries or `bytesMax` of their JSON, whichever comes first, and holds at least one.
 * @throws ProtocolError -32602 for a cursor that we did not make for this list.
 */
export function pageOf<T extends object>(
  list: string,
  entries: readonly T[],
  keyOf: (entry: T) => string,
  cursor: string | undefined,
  pageSize: number,
  bytesMax = pageBytesMax,
): Page<T> {
  const start = cursor === undefined ? 0 : startAfter(list, entries, keyOf, cursor)
  return pageFrom(list, entries, keyOf, start, pageSize, bytesMax)
}

function pageFrom<T extends object>(
  list: string,
  entries: readonly T[],
  keyOf: (entry: T) => string,
  start: number,
  pageSize: number,
  bytesMax: number,
): Page<T> {
  const page = fitting(entries.slice(start, start + pageSize), bytesMax)
  const end = start + page.length
  if (end >= entries.length || page.length === 0) return { entries: page }
  return { entries: page, nextCursor: encodeCursor([list, keyOf(entries[end - 1]!), end]) }
}

function fitting<T extends object>(entries: readonly T[], bytesMax: number): readonly T[] {
  let bytes = 0
  const end = entries.findIndex((entry, index) => {
    bytes += entryTextOf(entry).bytes + 1
    return bytes > bytesMax && index > 0
  })
  return end === -1 ? entries : entries.slice(0, end)
}

type Cursor = readonly [list: string, after: string, position: number]

function startAfter<T>(list: string, entries: readonly T[], keyOf: (entry: T) => string, cursor: string): number {
  const decoded = decodeCursor(cursor)
  if (decoded === undefined || decoded[0] !== list) throw new ProtocolError(invalidParams, 'Invalid cursor')
  const [, after, position] = decoded
  const before = entries[position - 1]
  if (before !== undefined && keyOf(before) === after) return position
  const index = entries.findIndex((entry) => keyOf(entry) === after)
  return index === -1 ? Math.min(position, entries.length) : index + 1
}

function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

function decodeCursor(text: string): Cursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Array.isArray(value) || value.length !== 3) return undefined
    const [list, after, position] = value as unknown[]
    if (typeof list !== 'string' || typeof after !== 'string') return undefined
    return Number.isSafeInteger(position) && (position as number) >= 0 ? [list, after, position as number] : undefined
  } catch {
    return undefined
  }
}
