import { describe, expect, it } from 'vitest'
import { comparable, phraseIn, wordsOf } from '../../src/policy/plain-words.js'

describe('a phrase', () => {
  it.each([
    ['Buy CHEAP pills', 'cheap', true],
    ['cheaper', 'cheap', false],
    ['said', 'ai', false],
    ['#AI!', 'ai', true],
    ['so cheap  \n pills', 'cheap pills', true],
    ['ch\u200Beap', 'cheap', true],
    ['ｃｈｅａｐ', 'cheap', true],
    ['STRASSE', 'straße', true],
    ['cafe\u0301', 'café', true],
    ['café', 'caf', false],
    ['costs $$$ now', '$$$', true],
    ['c++ is it', 'C++', true],
    ['a.b', 'a.b', true],
    ['axb', 'a.b', false],
    ['我喜欢人工智能', '人工智能', true],
    ['free money', '', false],
    ['free money', '\u200B', false],
  ])('in %j: is %j there? %s', (text, phrase, isThere) => {
    expect(phraseIn(text, [phrase])).toBe(isThere ? phrase : undefined)
  })

  it('that is found first is the first of the list', () => {
    expect(phraseIn('one two', ['three', 'two', 'one'])).toBe('two')
  })
})

describe('words', () => {
  it('are those of the text, without whom it addresses', () => {
    expect(wordsOf('@ada@example.org @bob.example.com Don’t  panic, 2 times! mail me@x.org')).toEqual([
      'don’t',
      'panic',
      '2',
      'times',
      'mail',
      'me',
      'x.org',
    ])
  })

  it('are found where no blanks are', () => {
    expect(wordsOf('我喜欢人工智能').length).toBeGreaterThan(2)
  })
})

it('is compared without regard to what nobody sees', () => {
  expect(comparable('  A\u00A0 B\u200D\n')).toBe('a b')
})
