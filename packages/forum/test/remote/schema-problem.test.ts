import { expect, test } from 'vitest'
import { schemaProblem } from '../../src/remote/schema-problem.js'

const nested = (depth: number): object => (depth === 0 ? {} : { not: nested(depth - 1) })

/** Each definition refers twice to the next: small to read, 2^20 to follow. */
const doubling = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `d${index}`,
      index === 19
        ? { type: 'string' }
        : { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  ),
}

test.each([
  ['nothing', {}],
  [
    'references to its own parts',
    { properties: { a: { $ref: '#/$defs/a~1b%20c' } }, $defs: { 'a/b c': { type: 'string' } } },
  ],
  ['the same part twice', { properties: { a: { $ref: '#/$defs/t' }, b: { $ref: '#/$defs/t' } }, $defs: { t: {} } }],
  ['a place in a list', { anyOf: [{ type: 'string' }], not: { $ref: '#/anyOf/0' } }],
])('takes %s', (_, schema) => {
  expect(schemaProblem(schema)).toBeUndefined()
})

test.each([
  ['another document', { $ref: 'https://evil.example/schema.json' }, 'it refers to something outside of itself'],
  ['a file', { properties: { a: { $ref: 'file:///etc/passwd' } } }, 'it refers to something outside of itself'],
  ['an anchor', { $ref: '#name' }, 'it refers to something outside of itself'],
  ['a reference that is no text', { $ref: 7 }, 'it refers to something outside of itself'],
  ['a circle', { properties: { child: { $ref: '#' } } }, 'it refers to itself in a circle'],
  ['a place that is not there', { $ref: '#/$defs/none' }, 'nothing is at #/$defs/none'],
  ['what every object has', { $ref: '#/constructor' }, 'nothing is at #/constructor'],
  ['a broken fragment', { $ref: '#/%E0%A4' }, 'it has a reference that is none'],
  ['what would be checked later', { $async: true }, 'it uses $async'],
  ['a reference that moves', { $dynamicRef: '#x' }, 'it uses $dynamicRef'],
  ['more than can be looked through', doubling, 'with its references it has more than 3000 values'],
  ['too much depth', nested(40), 'it is nested deeper than 32'],
  ['too many values', { enum: Array.from({ length: 1_100 }, (_, index) => index) }, 'it has more than 1000 values'],
])('refuses %s', (_, schema, problem) => {
  expect(schemaProblem(schema)).toBe(problem)
})
