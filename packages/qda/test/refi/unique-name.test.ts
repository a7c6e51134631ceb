import { expect, test } from 'vitest'
import { uniqueName } from '../../src/refi/unique-name.js'
import { sourceNameKey } from '../../src/text/name-key.js'

test('a name that is taken gets a number before its ending, whatever its case and accents', () => {
  const taken = new Set([sourceNameKey('Interview'), sourceNameKey('Caf\u00e9.txt')])
  expect(uniqueName('Notes', taken)).toBe('Notes')
  expect(uniqueName('INTERVIEW', taken)).toBe('INTERVIEW (2)')
  expect(uniqueName('interview', taken)).toBe('interview (3)')
  expect(uniqueName('cafe\u0301.txt', taken)).toBe('cafe\u0301 (2).txt')
  expect(uniqueName('.hidden', taken)).toBe('.hidden')
  expect(uniqueName('.hidden', taken)).toBe('.hidden (2)')
})
