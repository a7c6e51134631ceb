import { QdaFailure } from '../failure.js'

/** Of a list of segments: the order of the last one shown. The next page begins behind it, whatever was added meanwhile. */
export type SegmentsCursor = readonly number[]

export function writeCursor(cursor: SegmentsCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** `length`: how many numbers the list's order has. Throws INVALID_ARGUMENT. */
export function readCursor(cursor: string, length: number): SegmentsCursor {
  const numbers = parsed(Buffer.from(cursor, 'base64url').toString())
  if (Array.isArray(numbers) && numbers.length === length && numbers.every((each) => Number.isSafeInteger(each)))
    return numbers as readonly number[]
  throw new QdaFailure('INVALID_ARGUMENT', 'cursor is not one of this list; take next_cursor of the page before', {
    details: { path: 'cursor' },
  })
}

/** Below zero: `one` comes first. */
export function compareCursors(one: SegmentsCursor, other: SegmentsCursor): number {
  const place = one.findIndex((each, index) => each !== other[index])
  return place < 0 ? 0 : one[place]! - other[place]!
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
