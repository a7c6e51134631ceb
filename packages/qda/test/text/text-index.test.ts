import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextIndex } from '../../src/text/text-index.js'
import { texts, textsWithRange } from './texts.js'

test('a slice is that of the list of code points', () => {
  fc.assert(
    fc.property(textsWithRange, ({ text, start, end }) => {
      const points = Array.from(text)
      const index = new TextIndex(text)
      expect(index.length).toBe(points.length)
      expect(index.slice(start, end)).toBe(points.slice(start, end).join(''))
    }),
  )
})

test('both ways of counting convert into each other', () => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: 'binary' })), (text) => {
      const index = new TextIndex(text)
      for (let point = 0; point <= index.length; point += 1) {
        expect(index.toUtf16(point)).toBe(Array.from(text).slice(0, point).join('').length)
        expect(index.toCodePoint(index.toUtf16(point))).toBe(point)
      }
    }),
  )
})

test('inside a pair is where the pair starts; outside the text is its start or end', () => {
  const index = new TextIndex('a😀b')
  expect([0, 1, 2, 3, 4].map((unit) => index.toCodePoint(unit))).toEqual([0, 1, 1, 2, 3])
  expect([index.toCodePoint(-1), index.toCodePoint(9), index.toUtf16(-1), index.toUtf16(9)]).toEqual([0, 3, 0, 4])
  expect(index.isPlain).toBe(false)
  expect(new TextIndex('漢e\u0301').isPlain).toBe(true)
})

test('lines count from 1, and CRLF is one end', () => {
  const index = new TextIndex('😀\r\nb\n\u2029d')
  expect([0, 1, 2, 3, 4, 5, 6].map((point) => index.lineAt(point))).toEqual([1, 1, 1, 2, 2, 3, 4])
})
