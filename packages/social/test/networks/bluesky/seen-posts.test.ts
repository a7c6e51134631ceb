import { describe, expect, test } from 'vitest'
import { isNew, parseSeen, seenAfter } from '../../../src/networks/bluesky/seen-posts.js'

const noon = Date.parse('2026-03-02T12:00:00Z')
const minute = 60_000
const at = (uri: string, minutes: number) => ({ uri, at: noon + minutes * minute })

describe('how far a list was read', () => {
  test('what was listed is not new; what came later is', () => {
    const seen = parseSeen(seenAfter([at('b', 1), at('a', 0)], undefined, noon + 5 * minute))
    expect([at('c', 2), at('b', 1), at('a', 0)].map((post) => isNew(seen, post))).toEqual([true, false, false])
  })

  test('a post that was indexed late is new, up to two minutes', () => {
    const seen = parseSeen(seenAfter([at('b', 5)], undefined, noon + 10 * minute))
    expect(isNew(seen, at('late', 3.5))).toBe(true)
    expect(isNew(seen, at('old', 2))).toBe(false)
  })

  test('an empty answer leaves the cursor as it was', () =>
    expect(seenAfter([], parseSeen('2026-03-02T12:00:00.000Z'), noon)).toBeUndefined())

  test('a post from the future does not hide those of the present', () => {
    const seen = parseSeen(seenAfter([{ uri: 'future', at: noon + 1e11 }], undefined, noon))
    expect(isNew(seen, at('next', 1))).toBe(true)
    expect(isNew(seen, { uri: 'future', at: noon + 1e11 })).toBe(false)
  })

  test('the time never goes back', () => {
    const before = parseSeen('2026-03-02T12:00:00.000Z')
    expect(seenAfter([at('old', -1)], before, noon)).toBe('2026-03-02T12:00:00.000Z')
  })

  test('a cursor that is none begins anew', () => {
    expect(parseSeen('nonsense')).toBeUndefined()
    expect(parseSeen(undefined)).toBeUndefined()
    expect(isNew(undefined, at('a', -1e6))).toBe(true)
  })

  test('a cursor stays short: of very many at a time it looks back less far', () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ uri: `u${index}`, at: noon - index * 10 }))
    const cursor = seenAfter(many, undefined, noon)
    expect(cursor!.split(' ')).toHaveLength(101)
    expect(many.some((post) => isNew(parseSeen(cursor), post))).toBe(false)
    const tied = Array.from({ length: 150 }, (_, index) => at(`u${index}`, 0))
    expect(seenAfter(tied, undefined, noon)).toBe('2026-03-02T12:00:00.001Z')
  })
})
