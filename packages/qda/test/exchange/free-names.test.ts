import { expect, it } from 'vitest'
import { FreeNames } from '../../src/exchange/free-names.js'
import { sourceNameKey } from '../../src/text/name-key.js'

it('gives each name once, whatever its case and however its accents are written', () => {
  const names = new FreeNames(['Interview', 'caf\u00e9.txt'], sourceNameKey, 'with ending')
  expect(names.take('Notes')).toBe('Notes')
  expect(names.take('INTERVIEW')).toBe('INTERVIEW (2)')
  expect(names.take('interview')).toBe('interview (3)')
  expect(names.take('cafe\u0301.txt')).toBe('cafe\u0301 (2).txt')
  expect(names.take('.hidden')).toBe('.hidden')
  expect(names.take('.hidden')).toBe('.hidden (2)')
})

it('numbers the whole name where there are no endings', () => {
  expect(new FreeNames(['v1.0'], sourceNameKey).take('v1.0')).toBe('v1.0 (2)')
})
