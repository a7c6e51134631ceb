import { TID } from '@atproto/common-web'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTid, TidSource } from '../../../src/networks/bluesky/tid.js'
import { seeded } from '../../support/test-foundation.js'

const march = Date.parse('2026-03-02T12:00:00Z')

describe('a timestamp identifier', () => {
  test('has 13 characters that another implementation reads as the time', () => {
    const tid = new TidSource().next(march, seeded(1))
    expect(tid).toMatch(/^[234567abcdefghij][234567a-z]{12}$/)
    expect(TID.is(tid)).toBe(true)
    const micros = TID.fromStr(tid).timestamp()
    expect(Math.floor(micros / 1_000)).toBe(march)
  })

  test('is greater than each one before it, though the clock stands still or goes back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4e12 }), { minLength: 2, maxLength: 50 }),
        fc.integer(),
        (times, seed) => {
          const source = new TidSource()
          const random = seeded(seed)
          const made = times.map((time) => source.next(time, random))
          expect(made).toEqual([...new Set(made)].sort())
          expect(made.every(isTid)).toBe(true)
        },
      ),
    )
  })

  test('differs between two processes in the same millisecond', () => {
    expect(new TidSource().next(march, seeded(1))).not.toBe(new TidSource().next(march, seeded(2)))
  })

  test.each(['', '3kabcdefghij', '3kabcdefghij22', 'zzzzzzzzzzzzz', '3kabcdefghij0', '3KABCDEFGHIJ2'])(
    '%j is none',
    (text) => expect(isTid(text)).toBe(false),
  )
})
