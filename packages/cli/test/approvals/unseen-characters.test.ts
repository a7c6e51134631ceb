import { expect, test } from 'vitest'
import { visible } from '../../src/approvals/visible.js'

test.each([
  ['a selector that may carry a message', 'Nice\u{E0101}', 'Nice\\u{e0101}'],
  ['a filler that counts as a letter', 'a\u3164b', 'a\\u{3164}b'],
  ['a joiner within a word', 'a\u200db', 'a\\u{200d}b'],
  ['an empty braille cell', 'a\u2800b', 'a\\u{2800}b'],
  ['a combining mark without a look', 'a\u034fb', 'a\\u{34f}b'],
  ['emoji, which stay whole', '👨‍👩‍👧 ❤️ 1️⃣', '👨‍👩‍👧 ❤️ 1️⃣'],
])('a person who decides sees %s', (_, text, shown) => {
  expect(visible(text)).toBe(shown)
})
