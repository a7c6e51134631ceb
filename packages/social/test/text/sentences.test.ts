import fc from 'fast-check'
import { expect, it } from 'vitest'
import { finishedSentences, firstSentences, sentenceEnds, sentencesOf } from '../../src/text/sentences.js'
import { anyText } from '../support/any-text.js'

it('a text has sentences and lines', () => {
  expect(sentencesOf('One. Two?  Three!\nFour\n\nFive… six.')).toEqual(['One.', 'Two?', 'Three!', 'Four', 'Five… six.'])
})

it('abbreviations, numbers and URLs are within a sentence', () => {
  const text = 'Dr. No paid $3.50 at https://a.example/?q=1!x, e.g. Twice.'
  expect(sentencesOf(text)).toEqual([text])
})

it('a URL, a hashtag or a mention behind a stop begins anew', () => {
  expect(sentencesOf('Read it. https://a.example #mcp. @ada is right.')).toEqual([
    'Read it.',
    'https://a.example #mcp.',
    '@ada is right.',
  ])
})

it('the first sentences are a beginning of the text', () => {
  expect(firstSentences(' One. Two.\n\nThree. Four. ', 3)).toBe('One. Two.\n\nThree.')
  expect(firstSentences('One. Two.', 3)).toBe('One. Two.')
  expect(firstSentences('', 3)).toBe('')
})

it('what was cut off in the middle of a sentence ends with the one before', () => {
  expect(finishedSentences('One. “Two!”\n\nThree and')).toBe('One. “Two!”')
  expect(finishedSentences('One. Two.')).toBe('One. Two.')
  expect(finishedSentences('一つ。二つ')).toBe('一つ。')
  expect(finishedSentences('Nothing has an end here')).toBeUndefined()
})

it('the parts of any text are the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const ends = sentenceEnds(text)
      expect(ends.at(-1) ?? 0).toBe(text.length)
      expect([...ends].sort((a, b) => a - b)).toEqual(ends)
      expect(firstSentences(text, 1_000)).toBe(text.trim())
    }),
  )
})
