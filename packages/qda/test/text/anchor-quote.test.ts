import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QdaFailure } from '../../src/failure.js'
import { anchorQuote } from '../../src/text/anchor-quote.js'
import { checkQuote } from '../../src/text/check-quote.js'
import { foldedForQuotes, foldedQuote } from '../../src/text/quote-folding.js'
import type { QuoteSelector } from '../../src/text/quote-selector.js'
import { SearchAllowance } from '../../src/text/search-allowance.js'
import { TextIndex } from '../../src/text/text-index.js'
import { texts, textsWithRange } from './texts.js'

const anchor = (text: string, selector: QuoteSelector) => anchorQuote(new TextIndex(text), selector)

function failureOf(act: () => unknown): QdaFailure {
  try {
    act()
  } catch (error) {
    if (error instanceof QdaFailure) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('what was cut out is found where it was', () => {
  fc.assert(
    fc.property(textsWithRange, ({ text, start, end }) => {
      fc.pre(start < end)
      const quote = new TextIndex(text).slice(start, end)
      expect(anchor(text, { quote, near: start })).toEqual({ start, end, text: quote, matched: 'exact' })
    }),
  )
})

test('what was cut out and rewritten is found, too', () => {
  fc.assert(
    fc.property(textsWithRange, ({ text, start, end }) => {
      const cut = new TextIndex(text).slice(start, end)
      const quote = foldedQuote(cut).replaceAll('-', '–').replaceAll("'", '‘').replaceAll(' ', '\n\n')
      fc.pre(quote !== '')
      const found = anchor(text, { quote, near: start + [...cut].length - [...cut.trimStart()].length })
      expect(foldedQuote(found.text)).toBe(foldedQuote(cut))
      expect(found.text).toBe(new TextIndex(text).slice(found.start, found.end))
    }),
  )
})

test('folded positions lead back to what was folded', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const folded = foldedForQuotes(new TextIndex(text))
      for (let at = 0; at < folded.text.length; at += 1) {
        const piece = text.slice(folded.toOriginal(at), folded.toOriginal(at + 1))
        expect(foldedQuote(piece)).toBe(folded.text[at]!.trim())
        expect(folded.toFolded(folded.toOriginal(at))).toBe(at)
      }
      for (let at = 0; at < text.length; at += 1) {
        expect(folded.toOriginal(folded.toFolded(at))).toBeLessThanOrEqual(at)
        expect(folded.toOriginal(folded.toFolded(at) + 1)).toBeGreaterThan(at)
      }
      expect(folded.toOriginal(folded.text.length)).toBe(text.length)
    }),
  )
})

test('white space, quotation marks and dashes may be written otherwise', () => {
  const text = '😀 “It’s   fine”\r\n— she said'
  expect(anchor(text, { quote: '"It\'s fine" - she' })).toEqual({
    start: 2,
    end: 22,
    text: '“It’s   fine”\r\n— she',
    matched: 'folded',
  })
})

test('several are narrowed by prefix, suffix, occurrence and the nearest position', () => {
  const text = 'A: yes. B: yes! A:\nyes?'
  expect(anchor(text, { quote: 'yes', prefix: 'B: ' }).start).toBe(11)
  expect(anchor(text, { quote: 'yes', suffix: '?' }).start).toBe(19)
  expect(anchor(text, { quote: 'yes', prefix: 'A: ', occurrence: 2 }).start).toBe(19)
  expect(anchor(text, { quote: 'yes', prefix: 'A:', near: 12 }).start).toBe(19)
  expect(anchor(text, { quote: 'yes', near: { start: 8, end: 11 } }).start).toBe(11)
  expect(anchor('aaaa', { quote: 'aa', occurrence: 2 }).start).toBe(1)
  expect(anchor('only', { quote: 'only', prefix: 'not there' }).start).toBe(0)
})

test('several that stay are named, the first ten of them', () => {
  const failure = failureOf(() => anchor(`${'😀x'.repeat(30)}`, { quote: 'x' }))
  expect(failure.code).toBe('AMBIGUOUS_QUOTE')
  const { candidates, total_count } = failure.extras.details as { candidates: object[]; total_count: number }
  expect(total_count).toBe(30)
  expect(candidates).toHaveLength(10)
  expect(candidates[1]).toMatchObject({ start_position: 3, end_position: 4, text: 'x', context_before: '😀x😀' })
})

test('equally near, or narrowed to none: ambiguous', () => {
  expect(failureOf(() => anchor('x.x', { quote: 'x', near: 1 })).code).toBe('AMBIGUOUS_QUOTE')
  expect(failureOf(() => anchor('x.x', { quote: 'x', prefix: 'y' })).message).toMatch(/never after this prefix/)
  expect(failureOf(() => anchor('x.x', { quote: 'x', suffix: 'y' })).message).toMatch(/never before this suffix/)
  expect(failureOf(() => anchor('x.x', { quote: 'x', occurrence: 3 })).code).toBe('QUOTE_NOT_FOUND')
})

test('one that is only alike is found when asked for, and named when not', () => {
  const text = `${'Lorem ipsum dolor. '.repeat(200)}😀 The neighbours never helped us. ${'Sit amet. '.repeat(200)}`
  const start = [...text.slice(0, text.indexOf('The neigh'))].length
  const quote = 'The neighbors never help us.'
  const passage = { start, end: start + 31, text: 'The neighbours never helped us.' }
  expect(anchor(text, { quote, fuzzy: true })).toEqual({ ...passage, matched: 'fuzzy', similarity: 0.893 })
  const failure = failureOf(() => anchor(text, { quote }))
  expect(failure.code).toBe('QUOTE_NOT_FOUND')
  expect(failure.extras.details).toEqual({
    closest: { start_position: passage.start, end_position: passage.end, text: passage.text, similarity: 0.893 },
  })
  expect(failure.extras.suggestions?.[0]).toMatch(/fuzzy/)
})

test('what is less than 0.8 alike is no fuzzy match', () => {
  expect(failureOf(() => anchor('abcdefghij', { quote: 'abcdxyzhij', fuzzy: true })).code).toBe('QUOTE_NOT_FOUND')
  expect(anchor('abcdefghij', { quote: 'abcdxyghij', fuzzy: true })).toMatchObject({ similarity: 0.8 })
  expect(failureOf(() => anchor('', { quote: 'anything', fuzzy: true })).code).toBe('QUOTE_NOT_FOUND')
})

test('a passage that is alike has whole characters', () => {
  expect(anchor('abcdefghij😀.', { quote: 'abcdefghijk', fuzzy: true }).text).toBe('abcdefghij😀')
})

test('several that are equally alike are ambiguous', () => {
  const failure = failureOf(() => anchor('one hundred, one hundred', { quote: 'one hundrad', fuzzy: true }))
  expect(failure.message).toBe('Something like the quote is in the text 2 times')
})

test('without an allowance nothing alike is looked for', () => {
  const failure = failureOf(() =>
    anchorQuote(new TextIndex('some text'), { quote: 'sme text' }, new SearchAllowance(0)),
  )
  expect(failure.message).toMatch(/not searched/)
})

test('a quote has whole characters, and some of them', () => {
  expect(failureOf(() => anchor('😀', { quote: '\ud83d' })).code).toBe('INVALID_ARGUMENT')
  expect(failureOf(() => anchor('x', { quote: '' })).code).toBe('INVALID_ARGUMENT')
  expect(failureOf(() => anchor('x', { quote: 'x'.repeat(400_001) })).code).toBe('INVALID_ARGUMENT')
  expect(failureOf(() => anchor('x', { quote: '\n\n' })).code).toBe('QUOTE_NOT_FOUND')
})

test('whatever is quoted, the answer is a passage or a failure', () => {
  fc.assert(
    fc.property(texts, texts, fc.boolean(), (text, quote, fuzzy) => {
      try {
        const found = anchor(text, { quote, fuzzy })
        expect(found.text).toBe(new TextIndex(text).slice(found.start, found.end))
      } catch (error) {
        expect(error).toBeInstanceOf(QdaFailure)
      }
    }),
  )
})

test('positions and quote must agree, or the quote be the only one', () => {
  const index = new TextIndex('one “two” three two')
  expect(checkQuote(index, { quote: '“two”' }, { start: 4, end: 9 }).relocated).toBe(false)
  expect(checkQuote(index, { quote: '"two"' }, { start: 4, end: 9 })).toMatchObject({
    matched: 'folded',
    relocated: false,
  })
  expect(checkQuote(index, { quote: 'three' }, { start: 4, end: 9 })).toMatchObject({ start: 10, relocated: true })
  expect(failureOf(() => checkQuote(index, { quote: 'two', near: 5 }, { start: 0, end: 3 })).code).toBe(
    'AMBIGUOUS_QUOTE',
  )
  expect(checkQuote(index, { quote: 'two', occurrence: 2 }, { start: 0, end: 3 })).toMatchObject({ start: 16 })
  expect(failureOf(() => checkQuote(index, { quote: 'four' }, { start: 0, end: 99 })).code).toBe('QUOTE_NOT_FOUND')
})
