import { describe, expect, it } from 'vitest'
import { cursorOf, positionOf } from '../../src/inbox/inbox-cursor.js'
import { isUnseen, lowestUnseen, seenAfter } from '../../src/inbox/seen-ids.js'

const nothing = { upTo: 0, missing: [] }

describe('what has been seen', () => {
  it('is all up to the last, but for what was not there', () => {
    const seen = seenAfter(nothing, [1, 2, 5], 5)
    expect(seen).toEqual({ upTo: 5, missing: [3, 4] })
    expect([1, 3, 5, 6].filter((id) => isUnseen(seen, id))).toEqual([3, 6])
    expect(lowestUnseen(seen)).toBe(3)
  })

  it('is no longer missing once it was there', () => {
    expect(seenAfter({ upTo: 5, missing: [3, 4] }, [4, 6], 6)).toEqual({ upTo: 6, missing: [3] })
  })

  it('never goes back', () => {
    expect(seenAfter({ upTo: 9, missing: [8] }, [8], 8)).toEqual({ upTo: 9, missing: [] })
  })

  it('gives up what is missing for fifty ids', () => {
    expect(seenAfter({ upTo: 60, missing: [20, 30] }, [], 70).missing).toEqual([30, ...range(61, 70)])
    expect(seenAfter(nothing, [], 100).missing).toEqual(range(51, 100))
  })
})

describe('a cursor', () => {
  const base = 'https://forum.example'

  it.each([
    { posts: nothing, notification: 0 },
    { posts: { upTo: 1, missing: [1] }, notification: 7 },
    { posts: { upTo: 1_000, missing: range(951, 1_000) }, notification: 7 },
    { posts: { upTo: Number.MAX_SAFE_INTEGER, missing: [Number.MAX_SAFE_INTEGER - 49] }, notification: 12 },
  ])('keeps %j', (position) => {
    const cursor = cursorOf(base, position)
    expect(positionOf(base, cursor)).toEqual(position)
    expect(cursor.length).toBeLessThan(60)
  })

  it('is refused on another forum', () => {
    const cursor = cursorOf(base, { posts: nothing, notification: 0 })
    expect(() => positionOf(`${base}/other`, cursor)).toThrow('belongs to another forum')
  })

  it.each(['1', 'a.b.c.d', '0000000g.1.1.0', '00000000.9999999999999999.1.0', '00000000.1.1.', '00000000.-1.1.0'])(
    'is refused where it is none: %s',
    (cursor) => {
      expect(() => positionOf(base, cursor)).toThrow(
        expect.objectContaining({ code: 'invalid_arguments', message: expect.stringContaining('Call without one') }),
      )
    },
  )
})

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
