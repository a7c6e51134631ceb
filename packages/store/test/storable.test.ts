import { expect, it } from 'vitest'
import { storable } from '../src/index.js'

it('keeps a text as it is', () => expect(storable('naïve 🙂', 100)).toBe('naïve 🙂'))

it('is cut at the length, and says so', () => expect(storable('abcdef', 3)).toBe('abc…'))

it('has in it nothing that a database refuses: no U+0000, no half of a surrogate pair', () => {
  expect(storable('a\0b\ud800', 100)).toBe('a\uFFFDb\uFFFD')
  expect(storable('ab🙂', 3)).toBe('ab\uFFFD…')
})
