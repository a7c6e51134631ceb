import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/policy/argument-schema.js'
import { patterns } from './read.js'

function compiled(schema: unknown) {
  const problems: string[] = []
  const check = compileSchema(schema, 'when', patterns, (problem) => problems.push(problem))
  return { check, problems }
}

const path = { type: 'string', pattern: '^/data/[a-z/]+$' }
const closed = {
  properties: { path, lines: { type: 'integer', minimum: 1, maximum: 100 } },
  additionalProperties: false,
}

describe('arguments fit a schema', () => {
  it.each([
    [{}, { anything: 1 }, undefined],
    [false, {}, 'the arguments must not be there'],
    [closed, { path: '/data/a', lines: 3 }, undefined],
    [closed, { path: '/data/../etc' }, 'path must match ^/data/[a-z/]+$'],
    [closed, { path: '/data/a\n' }, 'path must match ^/data/[a-z/]+$'],
    [closed, { path: 7 }, 'path must be string'],
    [closed, { lines: 0 }, 'lines must be at least 1'],
    [closed, { lines: 1.5 }, 'lines must be integer'],
    [closed, { Path: '/etc' }, 'Path must not be there'],
    [{ required: ['path'] }, {}, 'path is missing'],
    [{ required: ['toString'] }, {}, 'toString is missing'],
    [{ properties: { a: { const: { b: [1, 'x'] } } } }, { a: { b: [1, 'x'] } }, undefined],
    [{ properties: { a: { const: { b: [1, 'x'] } } } }, { a: { b: ['x', 1] } }, 'a must be {"b":[1,"x"]}'],
    [{ properties: { a: { enum: ['x', null] } } }, { a: null }, undefined],
    [{ properties: { a: { enum: ['x'] } } }, { a: 'y' }, 'a must be one of ["x"]'],
    [
      { properties: { a: { type: 'array', items: { type: 'string' }, maxItems: 2 } } },
      { a: ['x', 1] },
      'a.1 must be string',
    ],
    [{ properties: { a: { type: 'array', maxItems: 1 } } }, { a: [1, 2] }, 'a must have at most this many items: 1'],
    [{ properties: { a: { type: ['string', 'null'], maxLength: 1 } } }, { a: '🎈' }, undefined],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, 'the arguments must have at most this many keys: 1'],
    [{ propertyNames: { enum: ['a'] } }, { b: 1 }, 'the name "b" in the arguments must be one of ["a"]'],
    [{ not: { required: ['force'] } }, { force: true }, 'the arguments must not be what the policy excludes'],
    [{ not: { required: ['force'] } }, {}, undefined],
    [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { b: 1 }, undefined],
    [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, 'a is missing'],
    [
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1, b: 1 },
      'the arguments must fit one of the choices only',
    ],
    [{ allOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }, 'b is missing'],
  ])('%j and %j: %s', (schema, given, problem) => {
    const { check, problems } = compiled(schema)
    expect(problems).toEqual([])
    expect(check(given)).toBe(problem)
  })

  it('also by a key that objects have from the beginning', () => {
    const { check } = compiled(JSON.parse('{"properties":{"__proto__":{"const":1}}}'))
    expect(check(JSON.parse('{"__proto__":2}'))).toBe('__proto__ must be 1')
    expect(check({})).toBeUndefined()
  })
})

describe('a schema is refused', () => {
  it.each([
    [{ propertes: {} }, 'when.propertes: is no keyword that a policy knows (did you mean properties?)'],
    [{ $ref: 'https://example.org/schema' }, /^when\.\$ref: is no keyword that a policy knows: what a policy knows is/],
    [
      { properties: { a: { pattern: 'x' } } },
      /^when\.properties\.a\.pattern: says nothing of values of other types: add "type": "string"/,
    ],
    [{ properties: { a: { type: 'string', minimum: 1 } } }, /minimum: says nothing/],
    [{ properties: { a: { type: 'string', pattern: '(?=x)' } } }, /is no pattern in RE2's syntax/],
    [{ properties: { a: { type: 'text' } } }, /^when\.properties\.a\.type: must be object, array/],
    [{ properties: { a: 7 } }, 'when.properties.a: must be a JSON Schema: an object, true or false'],
    [{ anyOf: [] }, 'when.anyOf: must be a list of schemas'],
    [{ maxProperties: '1' }, 'when.maxProperties: must be a number'],
  ])('%j', (schema, problem) => {
    expect(compiled(schema).problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
  })

  it('that is larger or deeper than anybody needs', () => {
    const wide = { anyOf: Array.from({ length: 1_001 }, () => ({})) }
    expect(compiled(wide).problems).toEqual(['when.anyOf[999]: is one of more than 1000 parts'])
    let deep: object = {}
    for (let level = 0; level < 40; level++) deep = { not: deep }
    expect(compiled(deep).problems).toEqual([expect.stringMatching('is deeper than 32')])
  })
})

describe('whatever the arguments, a check takes a bounded number of steps', () => {
  it('and there is no verdict beyond it, also not the contrary of one', () => {
    const long = { a: 'x'.repeat(200_000) }
    const schema = { properties: { a: { type: 'string', pattern: '^(x+)+y$' } } }
    expect(compiled(schema).check(long)).toBe('they are too long to be checked')
    expect(compiled({ not: schema }).check(long)).toBe('they are too long to be checked')
    expect(compiled({ anyOf: [schema, {}] }).check(long)).toBe('they are too long to be checked')
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (schema, given) => {
        const { check } = compiled(schema)
        expect(['string', 'undefined']).toContain(typeof check(given))
      }),
    )
  })
})
