import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localNames } from '../../src/remote/local-names.js'

test('a name keeps what every client takes; everything else becomes one underscore', () => {
  expect(localNames(['search', 'web search!!', 'a.b/c', 'snake__case'])).toEqual([
    'remote_search',
    'remote_web_search_',
    'remote_a_b_c',
    'remote_snake_case',
  ])
})

test('names that come out alike are numbered in their order', () => {
  expect(localNames(['a b', 'a.b', 'a_b', 'a_b_2'])).toEqual([
    'remote_a_b',
    'remote_a_b_2',
    'remote_a_b_3',
    'remote_a_b_2_2',
  ])
})

test('whatever the forum calls its tools, each has one name of at most 128 characters', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 200, unit: 'binary' }), { maxLength: 20 }), (names) => {
      const local = localNames(names)
      expect(local).toHaveLength(names.length)
      expect(new Set(local).size).toBe(names.length)
      for (const name of local) expect(name).toMatch(/^remote_[A-Za-z0-9_-]{0,121}$/)
    }),
  )
})
