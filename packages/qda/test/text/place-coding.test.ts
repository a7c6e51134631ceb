import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeCoding } from '../../src/text/place-coding.js'
import { TextIndex } from '../../src/text/text-index.js'
import { textsWithRange } from './texts.js'

function place(text: string, pos0: number | null, pos1: number | null, seltext: string | null) {
  return placeCoding({ index: new TextIndex(text), pos0, pos1, seltext })
}

test('code points that fit are exact; UTF-16 units are found', () => {
  fc.assert(
    fc.property(textsWithRange, ({ text, start, end }) => {
      fc.pre(start < end)
      const index = new TextIndex(text)
      const seltext = index.slice(start, end)
      expect(placeCoding({ index, pos0: start, pos1: end, seltext })).toEqual({ verified: 'exact', start, end })
      const units = placeCoding({ index, pos0: index.toUtf16(start), pos1: index.toUtf16(end), seltext })
      expect(units.verified).toMatch(/^(exact|utf16)$/)
      expect(index.slice(units.start, units.end).replace(/\r\n|\u2029/g, '\n')).toBe(
        seltext.replace(/\r\n|\u2029/g, '\n'),
      )
    }),
  )
})

test('an emoji before a coding made by mouse', () => {
  expect(place('😀 good day', 3, 7, 'good')).toEqual({ verified: 'utf16', start: 2, end: 6 })
})

test('line breaks are stored in several ways', () => {
  expect(place('one\ntwo', 0, 7, 'one\u2029two').verified).toBe('exact')
  expect(place('one\r\ntwo', 0, 8, 'one\ntwo').verified).toBe('exact')
  expect(place('one\r\ntwo\r\nthree', 3, 9, 'two\nthree')).toEqual({ verified: 'shifted', start: 5, end: 15 })
})

test('a text that moved is found within 200 code points, if it is there once', () => {
  const far = (gap: number) => place(`${'😀'.repeat(gap)}here`, 0, 4, 'here')
  expect(far(200)).toEqual({ verified: 'shifted', start: 200, end: 204 })
  expect(far(201).verified).toBe('broken')
  expect(place('x here here', 0, 4, 'here').verified).toBe('broken')
  expect(place('here', 204, 208, 'here')).toEqual({ verified: 'broken', start: 4, end: 4 })
  expect(place('here', -200, -196, 'here').verified).toBe('shifted')
  expect(place('here', -201, -197, 'here').verified).toBe('broken')
  expect(place('here', 200, 204, 'here')).toEqual({ verified: 'shifted', start: 0, end: 4 })
})

test('a broken one keeps its positions, moved into the text', () => {
  expect(place('short', 2, 99, 'gone')).toEqual({ verified: 'broken', start: 2, end: 5 })
  expect(place('short', -7, -9, 'gone')).toEqual({ verified: 'broken', start: 0, end: 0 })
  expect(place('short', Number.NaN, null, 'gone')).toEqual({ verified: 'broken', start: 0, end: 0 })
})

test('without a stored text a range of the text is right', () => {
  expect(place('short', 1, 3, null)).toEqual({ verified: 'exact', start: 1, end: 3 })
  expect(place('short', 1, 3, '')).toEqual({ verified: 'exact', start: 1, end: 3 })
  expect(place('short', 3, 3, '').verified).toBe('broken')
  expect(place('short', null, null, null).verified).toBe('broken')
})
