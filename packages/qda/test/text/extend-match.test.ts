import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Extension, extendMatch } from '../../src/text/extend-match.js'
import { TextIndex } from '../../src/text/text-index.js'
import { textsWithRange } from './texts.js'

function extended(text: string, part: string, extension: Extension): string {
  const index = new TextIndex(text)
  const start = index.toCodePoint(text.indexOf(part))
  const range = extendMatch(index, { start, end: start + [...part].length }, extension)
  return index.slice(range.start, range.end)
}

const text = '😀 First one. Second one!  Third\r\nnext line.\n \nNew paragraph.\n'

test('a match grows to its sentence, line or paragraph', () => {
  expect(extended(text, 'cond', 'match')).toBe('cond')
  expect(extended(text, 'cond', 'sentence')).toBe('Second one!')
  expect(extended(text, 'cond', 'line')).toBe('😀 First one. Second one!  Third')
  expect(extended(text, 'cond', 'paragraph')).toBe('😀 First one. Second one!  Third\r\nnext line.')
  expect(extended(text, 'New', 'paragraph')).toBe('New paragraph.')
})

test('what touches several takes them all', () => {
  expect(extended(text, 'one. Sec', 'sentence')).toBe('😀 First one. Second one!')
  expect(extended(text, 'Third\r\nnext', 'line')).toBe('😀 First one. Second one!  Third\r\nnext line.')
})

test('the line end after it never belongs to it; white space alone stays', () => {
  expect(extended(text, 'line.\n', 'line')).toBe('next line.')
  expect(extended(text, '\n \n', 'paragraph')).toBe('\n \n')
})

test('a match is inside what it grew to, but for white space around it', () => {
  fc.assert(
    fc.property(textsWithRange, fc.constantFrom('sentence', 'line', 'paragraph'), (cut, extension) => {
      const index = new TextIndex(cut.text)
      const range = extendMatch(index, cut, extension)
      expect(index.slice(range.start, range.end)).toContain(index.slice(cut.start, cut.end).trim())
    }),
  )
})
