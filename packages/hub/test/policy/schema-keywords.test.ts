import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/policy/argument-schema.js'
import { patterns } from './read.js'

function compiled(schema: unknown) {
  const problems: string[] = []
  const check = compileSchema(schema, 'when', patterns, (problem) => problems.push(problem))
  return { check, problems }
}

/** A schema for the argument `a`. */
const a = (schema: object) => ({ properties: { a: schema } })
const tooLong = 'they are too long to be checked'

describe('a bound', () => {
  it.each([
    ['minimum', a({ type: 'number', minimum: 1 }), 1, 0.5, 'a must be at least 1'],
    ['maximum', a({ type: 'number', maximum: 1 }), 1, 1.5, 'a must be at most 1'],
    ['exclusiveMinimum', a({ type: 'number', exclusiveMinimum: 1 }), 1.5, 1, 'a must be more than 1'],
    ['exclusiveMaximum', a({ type: 'number', exclusiveMaximum: 1 }), 0.5, 1, 'a must be less than 1'],
    ['minLength', a({ type: 'string', minLength: 2 }), 'ab', '🎈', 'a must have a length of at least 2'],
    ['maxLength', a({ type: 'string', maxLength: 1 }), '🎈', 'ab', 'a must have a length of at most 1'],
    ['minItems', a({ type: 'array', minItems: 1 }), [0], [], 'a must have at least this many items: 1'],
    ['maxItems', a({ type: 'array', maxItems: 1 }), [0], [0, 0], 'a must have at most this many items: 1'],
    ['minProperties', a({ type: 'object', minProperties: 1 }), { b: 0 }, {}, 'a must have at least this many keys: 1'],
    ['maxProperties', a({ type: 'object', maxProperties: 0 }), {}, { b: 0 }, 'a must have at most this many keys: 0'],
  ])('%s holds what is at it, and nothing beyond', (_, schema, good, bad, problem) => {
    const { check, problems } = compiled(schema)
    expect([problems, check({ a: good }), check({ a: bad })]).toEqual([[], undefined, problem])
  })
})

describe('a type', () => {
  const values = [{}, [], 'text', 1, 1.5, true, null]
  it.each([
    ['object', [{}]],
    ['array', [[]]],
    ['string', ['text']],
    ['integer', [1]],
    ['number', [1, 1.5]],
    ['boolean', [true]],
    ['null', [null]],
  ])('%s is of these values, and no others', (type, fitting) => {
    const { check } = compiled(a({ type }))
    expect(values.filter((value) => check({ a: value }) === undefined)).toEqual(fitting)
  })
})

describe('a value is the same as another', () => {
  it.each([
    [null, null, true],
    [null, {}, false],
    [{}, null, false],
    [1, {}, false],
    [{}, 1, false],
    [{ b: 1, c: 2 }, { c: 2, b: 1 }, true],
    [{ b: 1 }, { b: 1, c: 2 }, false],
    [{ b: 1, c: 2 }, { b: 1 }, false],
    [{ b: 1, c: 2 }, { b: 1, c: 3 }, false],
    [[1], { 0: 1 }, false],
    [{}, [], false],
    [[], [], true],
  ])('%j and %j: %s', (wanted, given, isSame) => {
    expect(compiled(a({ const: wanted })).check({ a: given }) === undefined).toBe(isSame)
  })
})

describe('a keyword of a type that is one of several says nothing of values of the others', () => {
  it.each([
    [{ type: ['object', 'string'], properties: { length: { const: 9 } } }, 'text'],
    [{ type: ['object', 'string'], required: ['b'] }, 'text'],
    [{ type: ['object', 'array'], additionalProperties: false }, [1]],
    [{ type: ['object', 'array'], propertyNames: { const: 'b' } }, [1]],
    [{ type: ['array', 'string'], items: false }, 'text'],
    [{ type: ['string', 'null'], pattern: '^x$' }, null],
    [{ type: ['string', 'integer'], maxLength: 1 }, 42],
    [{ type: ['string', 'integer'], minimum: 1 }, 'text'],
  ])('%j and %j', (schema, value) => {
    const { check, problems } = compiled(a(schema))
    expect([problems, check({ a: value })]).toEqual([[], undefined])
  })
})

describe('of several schemas', () => {
  const [one, other] = [{ required: ['a'] }, { required: ['b'] }]
  it('oneOf wants exactly one, anyOf one at least', () => {
    expect(compiled({ oneOf: [one, other] }).check({ b: 1 })).toBeUndefined()
    expect(compiled({ anyOf: [one, other] }).check({ a: 1, b: 1 })).toBeUndefined()
  })
})

describe('words for people', () => {
  it('hold nobody', () => {
    const { check, problems } = compiled({ title: 'Files', description: 'of one project', $comment: 'ask ada' })
    expect([problems, check({ a: 1 })]).toEqual([[], undefined])
  })
})

describe('what is not a schema as it must be is refused', () => {
  it.each([
    [a({ type: [] }), 'when.properties.a.type: must be object, array'],
    [a({ type: ['string', 'text'] }), 'when.properties.a.type: must be object, array'],
    [a({ enum: 'x' }), 'when.properties.a.enum: must be a list of values'],
    [a({ enum: [] }), 'when.properties.a.enum: must be a list of values'],
    [{ properties: 'x' }, 'when.properties: must be an object of schemas'],
    [{ required: 'a' }, 'when.required: must be a list of names'],
    [{ required: ['a', 7] }, 'when.required: must be a list of names'],
    [a({ type: 'string', pattern: 7 }), 'when.properties.a.pattern: must be a pattern of 1024 characters at most'],
    [a({ type: 'string', pattern: 'x'.repeat(1_025) }), 'when.properties.a.pattern: must be a pattern of 1024'],
    [{ minLength: 1 }, 'when.minLength: says nothing of values of other types: add "type": "string"'],
    [a({ required: ['b'] }), 'when.properties.a.required: says nothing of values of other types: add "type": "object"'],
  ])('%j', (schema, problem) => {
    const { check, problems } = compiled(schema)
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(check({ a: 'x', b: 'x' })).toBe('the policy is broken')
  })

  it('and one with too many parts lets nothing pass', () => {
    const parts = (count: number) => compiled({ allOf: Array.from({ length: count }, () => ({})) })
    expect(parts(999).problems).toEqual([])
    expect(parts(1_000).check({})).toBe('the policy is broken')
  })

  it.each([
    ['not', (inner: object) => ({ not: inner })],
    ['items', (inner: object) => ({ type: 'array', items: inner })],
    ['properties', (inner: object) => ({ type: 'object', properties: { a: inner } })],
    ['additionalProperties', (inner: object) => ({ type: 'object', additionalProperties: inner })],
    ['propertyNames', (inner: object) => ({ type: 'object', propertyNames: inner })],
    ['anyOf', (inner: object) => ({ anyOf: [inner] })],
  ])('nor is one that is deeper than 32: %s', (_, wrap) => {
    const deep = (levels: number) => Array.from({ length: levels }).reduce<object>((inner) => wrap(inner), {})
    expect(compiled(deep(32)).problems).toEqual([])
    expect(compiled(deep(33)).problems).toEqual([expect.stringContaining('is deeper than 32')])
  })

  it('but a pattern of 1024 characters is one', () => {
    expect(compiled(a({ type: 'string', pattern: 'x'.repeat(1_024) })).problems).toEqual([])
  })
})

describe('a check costs a step', () => {
  const list = (length: number, item: unknown) => ({ a: Array.from({ length }, () => item) })
  const each = (schema: object) => a({ type: 'array', items: schema })

  it('for each part of the schema at each value', () => {
    const { check } = compiled(each({ type: 'integer' }))
    expect([check(list(200_000, 1)), check(list(260_000, 1))]).toEqual([undefined, tooLong])
  })

  it('for each character that is counted, and none for the size of a number', () => {
    const { check } = compiled(a({ type: ['string', 'number'], maxLength: 1_000_000, minimum: 1 }))
    expect([check({ a: 'x'.repeat(400_000) }), check({ a: 'x'.repeat(600_000) })]).toEqual([undefined, tooLong])
    expect(check({ a: 1e9 })).toBeUndefined()
  })

  it('for each pattern, also at an empty text', () => {
    const { check } = compiled(each({ type: 'string', pattern: '^[a-z]*$' }))
    expect([check(list(10_000, '')), check(list(150_000, ''))]).toEqual([undefined, tooLong])
  })

  it('for each key of an object that is compared, for each value that it is compared with', () => {
    const given = { a: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, index])) }
    const values = (count: number) => Array.from({ length: count }, (_, index) => ({ [`key${index}`]: 0 }))
    expect(compiled(a({ enum: values(400) })).check(given)).toMatch(/^a must be one of/)
    expect(compiled(a({ enum: values(600) })).check(given)).toBe(tooLong)
    const compared = (count: number) => a({ anyOf: values(count).map((value) => ({ const: value })) })
    expect(compiled(compared(400)).check(given)).toMatch(/^a must be/)
    expect(compiled(compared(600)).check(given)).toBe(tooLong)
  })
})
