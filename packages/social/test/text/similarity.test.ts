import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shinglesOf, similarity } from '../../src/text/similarity.js'
import { anyText } from '../support/any-text.js'

it('is the share of runs of three words that two texts have in common', () => {
  // a b c, b c d, c d e beside a b c, b c d, c d x: two of four.
  expect(similarity('a b c d e', 'a b c d x')).toBe(0.5)
  expect(similarity('one two three', 'four five six')).toBe(0)
})

it('case, punctuation and blanks make no difference', () => {
  expect(similarity('We love  open networks!', 'we LOVE "open"\nnetworks')).toBe(1)
})

it('texts of less than three words are alike when they are the same', () => {
  expect(similarity('Thank you', 'thank you!')).toBe(1)
  expect(similarity('Thank you', 'Thank them')).toBe(0)
  expect(similarity('🔥🔥', '🔥🔥')).toBe(1)
})

it('nothing is like nothing', () => {
  expect(similarity('', '')).toBe(0)
  expect(similarity('', 'one two three')).toBe(0)
})

it('where words have no blanks between them, characters are compared', () => {
  expect(similarity('開かれたネット', '開かれたネットワーク')).toBeGreaterThan(0.5)
})

it('one text is prepared once and compared with many', () => {
  const prepared = shinglesOf('one two three four')
  expect(['one two three four', 'other'].map((text) => similarity(prepared, text))).toEqual([1, 0])
})

it('it is the same both ways, between 0 and 1, and 1 with itself', () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      const both = similarity(one, other)
      expect(both).toBe(similarity(other, one))
      expect(both).toBeGreaterThanOrEqual(0)
      expect(both).toBeLessThanOrEqual(1)
      if (shinglesOf(one).size > 0) expect(similarity(one, one)).toBe(1)
    }),
  )
})
