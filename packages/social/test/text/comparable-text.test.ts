import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparableText, decodeEntities } from '../../src/text/comparable-text.js'
import { anyText } from '../support/any-text.js'

describe('what networks change about a text makes no difference', () => {
  it.each([
    ['blanks and line ends', 'One  two\r\n\r\nthree ', 'One two\n\nthree'],
    ['composed letters', 'cafe\u0301', 'caf\u00e9'],
    ['entities', 'a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#39;', `a & b <c> "d" 'e'`],
    ['entities that were sent as such', 'write &amp;amp; for it', 'write &amp; for it'],
    ['hosts of mentions', '@ada hello', '@ada@mastodon.example hello'],
    ['capitals of whom it mentions', '@Ada hello', '@ada@Mastodon.example hello'],
    ['hard blanks', 'a\u00a0b', 'a b'],
  ])('%s', (_, back, sent) => {
    expect(comparableText(back)).toBe(comparableText(sent))
  })
})

it('another text is another text', () => {
  expect(comparableText('One two')).not.toBe(comparableText('One to'))
  expect(comparableText('One')).not.toBe(comparableText('one'))
  expect(comparableText('Hello')).not.toBe(comparableText('Hello!'))
  expect(comparableText('https://e.example/@bob@other.example')).not.toBe(comparableText('https://e.example/@bob'))
  expect(comparableText('mail bob@elsewhere.example')).not.toBe(comparableText('mail bob'))
})

it('entities are decoded once', () => {
  expect(decodeEntities('&amp;lt; &LT; &#x27; &unknown; &')).toBe("&lt; < ' &unknown; &")
})

it('takes any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(comparableText(`  ${text}\n`)).toBe(comparableText(text))
    }),
  )
})
