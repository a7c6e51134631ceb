import type { JsonRecord } from '../json/read-json.js'
import { pagesLengthMax, resourcePagesMax } from '../limits.js'

export interface Page {
  readonly rows: readonly JsonRecord[]
  readonly isLast: boolean
}

export interface Pages {
  /** Each once, in the forum's order. */
  readonly rows: readonly JsonRecord[]
  /** False where so many pages, or so large ones, were read that it stopped. */
  readonly isComplete: boolean
}

/**
 * Reads page after page until the last one, or until one brings nothing that is new: while pages are read, rows move from one to
 * the next. `readPage` gets the page's number, from 0, and how many rows were found before.
 */
export async function readPages(
  readPage: (number: number, found: number) => Promise<Page>,
  keyOf: (row: JsonRecord) => unknown,
): Promise<Pages> {
  const found = new Map<unknown, JsonRecord>()
  let length = 0
  for (let number = 0; number < resourcePagesMax; number += 1) {
    const before = found.size
    const { rows, isLast } = await readPage(number, before)
    for (const row of rows) {
      if (found.has(keyOf(row))) continue
      length += JSON.stringify(row).length
      if (length > pagesLengthMax) return { rows: [...found.values()], isComplete: false }
      found.set(keyOf(row), row)
    }
    if (isLast || found.size === before) return { rows: [...found.values()], isComplete: true }
  }
  return { rows: [...found.values()], isComplete: false }
}

/** `complete: false` where something is missing. */
export function listMeta(total: number, isComplete: boolean) {
  return { total, ...(!isComplete && { complete: false }) }
}
