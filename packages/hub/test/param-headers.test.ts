import { describe, expect, it } from 'vitest'
import { inspectDefinition } from '../src/definition-check.js'
import { paramHeadersOf } from '../src/param-headers.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const marked = (name: unknown, type = 'string', more: object = {}) => ({ type, 'x-mcp-header': name, ...more })

describe('the marks of a tool', () => {
  it('are found on its arguments, at any depth', () => {
    const schema = object({
      region: marked('Region'),
      plain: { type: 'string' },
      target: object({ size: marked('Size', 'integer'), dry: marked('dry-run', 'boolean') }),
    })
    expect(paramHeadersOf(schema)).toEqual({
      kind: 'valid',
      headers: [
        { name: 'Region', path: ['region'], type: 'string' },
        { name: 'Size', path: ['target', 'size'], type: 'integer' },
        { name: 'dry-run', path: ['target', 'dry'], type: 'boolean' },
      ],
    })
  })

  it('mean nothing in what is data, or an argument of that name', () => {
    const schema = object(
      { a: { type: 'object', default: { 'x-mcp-header': 'A' }, enum: [{ 'x-mcp-header': 7 }] }, 'x-mcp-header': {} },
      { examples: [{ 'x-mcp-header': 'E' }] },
    )
    expect(paramHeadersOf(schema)).toEqual({ kind: 'valid', headers: [] })
  })

  it.each([
    ['an empty name', object({ a: marked('') })],
    ['a name with a space', object({ a: marked('My Region') })],
    ['a name with a line break', object({ a: marked('A\r\nX: y') })],
    ['a name with a colon', object({ a: marked('A:') })],
    ['a name beyond ASCII', object({ a: marked('Größe') })],
    ['a number for a name', object({ a: marked(7) })],
    ['the same name twice, in any case', object({ a: marked('Region'), b: object({ c: marked('REGION') }) })],
    ['type number', object({ a: marked('A', 'number') })],
    ['type object', object({ a: marked('A', 'object') })],
    ['type array', object({ a: marked('A', 'array') })],
    ['several types', object({ a: { type: ['string', 'null'], 'x-mcp-header': 'A' } })],
    ['no type', object({ a: { 'x-mcp-header': 'A' } })],
    ['the input itself', { ...object({}), 'x-mcp-header': 'A' }],
    ['items', object({ a: { type: 'array', items: marked('A') } })],
    ['anyOf', object({ a: { anyOf: [marked('A')] } })],
    ['$defs', object({}, { $defs: { a: marked('A') } })],
    ['additionalProperties', object({}, { additionalProperties: object({ a: marked('A') }) })],
    ['else', object({}, { if: {}, else: object({ a: marked('A') }) })],
  ])('are refused with %s, and the tool with them', (_, inputSchema) => {
    expect(paramHeadersOf(inputSchema)).toMatchObject({
      kind: 'invalid',
      problem: expect.stringContaining('x-mcp-header'),
    })
    expect(inspectDefinition('tool', { name: 't', inputSchema })).toMatch(/^inputSchema\..*x-mcp-header/)
  })

  it('are no reason to refuse a tool when they are right', () => {
    expect(inspectDefinition('tool', { name: 't', inputSchema: object({ a: marked('A') }) })).toBeUndefined()
  })
})
