import { expect, test } from 'vitest'
import { argumentCheck } from '../../src/remote/argument-check.js'

const schema = {
  type: 'object',
  required: ['kind', 'place'],
  additionalProperties: false,
  properties: {
    kind: { enum: ['tea', 'coffee'] },
    cups: { type: 'integer', minimum: 1, maximum: 3 },
    place: { anyOf: [{ type: 'string', pattern: '^T' }, { type: 'null' }] },
    extras: { type: 'object', required: ['sugar'], properties: { sugar: { type: 'boolean' } } },
  },
}

test('what fits has no problem', () => {
  expect(argumentCheck(schema)({ kind: 'tea', cups: 3, place: 'T1', extras: { sugar: false } })).toEqual([])
  expect(argumentCheck(schema)({ kind: 'tea', place: null })).toEqual([])
})

test.each([
  [
    { kind: 'milk', place: null },
    { path: 'kind', message: 'must be equal to one of the allowed values: ["tea","coffee"]' },
  ],
  [
    { kind: 'tea', place: null, cups: 4 },
    { path: 'cups', message: 'must be <= 3' },
  ],
  [{ kind: 'tea' }, { path: '', message: "must have required property 'place'" }],
  [
    { kind: 'tea', place: null, extras: {} },
    { path: 'extras', message: "must have required property 'sugar'" },
  ],
  [
    { kind: 'tea', place: null, more: 1 },
    { path: '', message: 'must NOT have additional properties: more' },
  ],
])('what does not fit is named: %j', (given, problem) => {
  expect(argumentCheck(schema)(given)).toContainEqual(problem)
})

test('each branch of an alternative counts', () => {
  expect(argumentCheck(schema)({ kind: 'tea', place: 'nowhere' }).map(({ path }) => path)).toContain('place')
})

test('the older dialect is known where it is named', () => {
  const older = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { a: { items: [{ type: 'string' }] } },
  }
  expect(argumentCheck(older)({ a: ['x'] })).toEqual([])
  expect(argumentCheck(older)({ a: [7] })).toEqual([{ path: 'a.0', message: 'must be string' }])
})

test('a pattern that would take for ever does not', () => {
  const slow = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  expect(argumentCheck(slow)({ a: `${'a'.repeat(5_000)}!` })).toHaveLength(1)
})

test('comparing each with each is left to the forum', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => [index % 7])
  expect(argumentCheck({ properties: { a: { type: 'array', uniqueItems: true } } })({ a: list })).toEqual([])
})

test('arguments that nobody would send are refused before they are looked at', () => {
  expect(argumentCheck({})({ a: 'x'.repeat(200_000) })).toEqual([
    { path: '', message: 'must have at most 131072 bytes as JSON' },
  ])
})

test('a pattern that the engine does not know is left to the forum', () => {
  const ahead = { properties: { a: { pattern: '^(?=x)' }, b: { pattern: '^b' } } }
  expect(argumentCheck(ahead)({ a: 'y', b: 'b' })).toEqual([])
  expect(argumentCheck(ahead)({ a: 'y', b: 'c' })).toHaveLength(1)
})
