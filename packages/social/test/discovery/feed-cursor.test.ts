import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFeedCursor, encodeFeedCursor } from '../../src/discovery/feed-cursor.js'
import { SocialFailure } from '../../src/envelope/failure.js'
import { anyText } from '../support/any-text.js'
import { start } from '../support/posts.js'

const minute = 60_000
const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const good = { t: start, s: 50.123, p: start - minute, i: 1 }

it('what was encoded is decoded', () => {
  const cursor = { asOf: start, last: { score: 200 / 3, postedAt: start - minute, id: 12 } }
  expect(decodeFeedCursor(encodeFeedCursor(cursor), start)).toEqual(cursor)
})

it('a cursor is good for a day', () => {
  expect(decodeFeedCursor(coded(good), start + 24 * 60 * minute)).toMatchObject({ asOf: start })
})

describe('a cursor that no page has given is refused:', () => {
  it.each([
    ['no base64', '%%%'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['no object', coded(null)],
    ['a part missing', coded({ ...good, i: undefined })],
    ['a part too many', coded({ ...good, x: 1 })],
    ['a score that is none', coded({ ...good, s: '50' })],
    ['a score beyond all', coded({ ...good, s: 1e9 })],
    ['an id of none', coded({ ...good, i: 0 })],
    ['an id that no database can hold', coded({ ...good, i: 1e30 })],
    ['a time that is none', coded({ ...good, t: 1e300 })],
    ['a time to come', coded({ ...good, t: start + 6 * minute })],
    ['a time of the day before', coded({ ...good, t: start - 25 * 60 * minute })],
    ['far too long', coded({ ...good, x: 'a'.repeat(100_000) })],
  ])('%s', (_, cursor) => {
    expect(() => decodeFeedCursor(cursor, start)).toThrow(expect.objectContaining({ code: 'validation_error' }))
  })

  it('anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
        ),
        (text) => {
          expect(() => decodeFeedCursor(text, start)).toThrow(SocialFailure)
        },
      ),
    )
  })
})
