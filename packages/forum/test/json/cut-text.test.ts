import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText } from '../../src/json/cut-text.js'

test('code points are counted, and none is cut in two', () => {
  expect(cutText('a🎈b', 2)).toEqual({ text: 'a🎈', isCut: true })
  expect(cutText('a🎈b', 3)).toEqual({ text: 'a🎈b', isCut: false })
  expect(cutText('', 0)).toEqual({ text: '', isCut: false })
})

test('it is what a list of code points would give', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, lengthMax) => {
      const points = [...text]
      expect(cutText(text, lengthMax)).toEqual({
        text: points.slice(0, lengthMax).join(''),
        isCut: points.length > lengthMax,
      })
    }),
  )
})
