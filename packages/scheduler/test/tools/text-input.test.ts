import { expect, it } from 'vitest'
import { z } from 'zod'
import { textInput } from '../../src/tools/text-input.js'

const input = textInput({ max: 5 })
const problemOf = (value: unknown) => input.safeParse(value).error?.issues[0]?.message

it('trims, and counts what is left', () => {
  expect(input.parse('  12345\n')).toBe('12345')
  expect(problemOf(' \n\t')).toBe('must have 1 to 5 characters after trimming, not 0')
  expect(problemOf('123456')).toBe('must have 1 to 5 characters after trimming, not 6')
})

it('counts characters, not halves of surrogate pairs', () => {
  expect(input.parse('🎈🎈🎈🎈🎈')).toBe('🎈🎈🎈🎈🎈')
  expect(problemOf('🎈🎈🎈🎈🎈🎈')).toMatch('not 6')
})

it('refuses what a database could not hold', () => {
  expect(problemOf('a\0b')).toBe('must not contain U+0000')
  expect(problemOf('a\ud800')).toMatch('valid Unicode')
})

it('coerces nothing', () => {
  expect(problemOf(50)).toMatch('expected string')
})

it('tells clients its limits', () => {
  expect(z.toJSONSchema(input, { io: 'input' })).toMatchObject({ type: 'string', minLength: 1, maxLength: 5 })
})
