import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutToFit } from '../../src/text/cut-to-fit.js'
import type { LengthRule } from '../../src/text/length-rule.js'
import { measure } from '../../src/text/measure.js'
import { anyText } from '../support/any-text.js'

const short = (max: number): LengthRule => ({ kind: 'short-urls', max, urlLength: 23 })
const rules: readonly LengthRule[] = [
  { kind: 'weighted' },
  { kind: 'graphemes', max: 30, bytesMax: 200 },
  { kind: 'graphemes', max: 300, bytesMax: 3_000 },
  short(20),
  short(500),
]

describe('a text that fits', () => {
  it('stays whole, also when it ends with no sentence', () => {
    expect(cutToFit('One. Two without an end', short(100))).toBe('One. Two without an end')
  })

  it('loses the blanks around it', () => {
    expect(cutToFit(' \n One.\n', short(100))).toBe('One.')
  })
})

describe('a text that does not fit', () => {
  it('ends with the last sentence that fits', () => {
    expect(cutToFit('One is here. Two is here. Three is here.', short(26))).toBe('One is here. Two is here.')
  })

  it('ends at the end of a line, too', () => {
    expect(cutToFit('- one\n- two\n- three', short(12))).toBe('- one\n- two')
  })

  it('ends behind a full-width stop', () => {
    expect(cutToFit('これは一つ。これは二つ。これは三つ。', short(12))).toBe('これは一つ。これは二つ。')
  })

  it('is nothing when not even the first sentence fits', () => {
    expect(cutToFit('A sentence that is far too long for this. B.', short(10))).toBeUndefined()
  })

  it('does not end within a URL or behind an abbreviation', () => {
    expect(cutToFit('See https://a.example/?q=1!b for all of it and more', short(40))).toBeUndefined()
    expect(cutToFit('Ask Dr. Smith about it', short(10))).toBeUndefined()
    expect(cutToFit('Tools, e.g. Hammers and such', short(14))).toBeUndefined()
  })
})

it('there is nothing to cut from a text without anything to see', () => {
  expect(cutToFit('', short(10))).toBeUndefined()
  expect(cutToFit(' \u200b ', short(10))).toBeUndefined()
})

it('cutting never splits a grapheme or throws, and what it gives fits', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  fc.assert(
    fc.property(anyText, fc.constantFrom(...rules), (text, rule) => {
      const cut = cutToFit(text, rule)
      if (cut === undefined) return
      expect(measure(cut, rule).fits).toBe(true)
      const whole = text.trim()
      expect(whole.startsWith(cut)).toBe(true)
      const boundaries = [...segmenter.segment(whole)].map(({ index }) => index)
      expect([...boundaries, whole.length]).toContain(cut.length)
    }),
    { numRuns: 2_000 },
  )
})

it('halving finds what trying each sentence finds', () => {
  const sentence = fc.constantFrom('One. ', 'Two is here! ', 'Three?\n', 'Word ', 'https://example.com/a ', '語。')
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 60 }), fc.constantFrom(...rules), (sentences, rule) => {
      const cut = cutToFit(sentences.join(''), rule)
      const whole = sentences.join('').trim()
      if (whole === '' || cut === whole) return
      const longer = sentences
        .map((_, index) => sentences.slice(0, index + 1).join(''))
        .filter((beginning) => /[.!?。]\s*$/.test(beginning))
        .map((beginning) => beginning.trim())
        .filter((beginning) => measure(beginning, rule).fits)
      expect(cut).toBe(longer.at(-1))
    }),
  )
})

it('a text of any size is cut at once', () => {
  const cut = cutToFit('Word. '.repeat(1_000_000), short(500))
  expect(cut).toHaveLength(497)
})
