import { describe, expect, it } from 'vitest'
import { candidates, define, formProblem, literalPrefix, parseDefinitions } from '../../src/broker/definition.js'
import { json, tool } from './scenario.js'

const candidate = (kind: 'tool' | 'resource' | 'resourceTemplate' | 'prompt', value: object) => {
  const list = { tool: 'tools', resource: 'resources', resourceTemplate: 'resourceTemplates', prompt: 'prompts' }[kind]
  return candidates({ [list]: [value] })[0]!
}

describe('the form of a definition [CB-21]', () => {
  it.each([
    ['tool', tool('a')],
    ['tool', tool('A-Z_a.z-0')],
    ['tool', tool('x'.repeat(64))],
    ['tool', tool('a', { _meta: { 'callboard/roles': ['operator'] } })],
    ['prompt', { name: 'any name, really' }],
    ['resource', { uri: 'note://7', name: 'seven' }],
    ['resource', { uri: 'urn:x', name: 'x' }],
    ['resourceTemplate', { uriTemplate: 'note://{id}', name: 'note' }],
  ] as const)('%s %j is right', (kind, value) => {
    expect(formProblem(candidate(kind, value))).toBeUndefined()
  })

  it.each([
    ['tool', tool('')],
    ['tool', tool('two words')],
    ['tool', tool('x'.repeat(129))],
    ['tool', tool('naïve')],
    ['tool', { name: 7, inputSchema: { type: 'object' } }],
    ['tool', { name: 'a' }],
    ['tool', { name: 'a', inputSchema: { type: 'string' } }],
    ['tool', 'no object'],
    ['tool', tool('a', { _meta: { 'callboard/roles': 'operator' } })],
    ['tool', tool('a', { _meta: { 'callboard/roles': [7] } })],
    ['prompt', { name: '' }],
    ['prompt', { name: 'x'.repeat(129) }],
    ['resource', { uri: 'relative', name: 'x' }],
    ['resource', { uri: 'note://7' }],
    ['resource', { uri: 'note://7', name: '' }],
    ['resourceTemplate', { uriTemplate: '{scheme}://x', name: 'x' }],
  ] as const)('%s %j is refused', (kind, value) => {
    expect(formProblem(candidate(kind, value as object))).toBeTypeOf('string')
  })
})

describe('a definition in force', () => {
  const defined = (value: object, key?: string) => {
    const found = candidate('tool', value)
    return define(found, 'greeter', key ?? found.key)
  }

  it('is shown without the keys that steer the hub; all others stay [CB-20]', () => {
    const value = tool('a', { title: 'A', extra: [1], _meta: { 'callboard/roles': ['agent'], 'acme/x': 1 } })
    expect(defined(value).listed).toEqual({ ...tool('a'), title: 'A', extra: [1], _meta: { 'acme/x': 1 } })
    expect(defined(tool('a', { _meta: { 'callboard/timeoutMs': 5 } })).listed).toEqual(tool('a'))
  })

  it("is shown under the name that agents use, and keeps the worker's", () => {
    const { key, workerKey, listed } = defined(tool('a'), 'greeter_a')
    expect([key, workerKey, listed['name']]).toEqual(['greeter_a', 'a', 'greeter_a'])
  })

  it.each([
    [undefined, 120_000],
    [5_000, 5_000],
    [99_999_999, 3_600_000],
    [0, 120_000],
    ['long', 120_000],
  ])('takes timeoutMs %s as %d [CB-20]', (timeoutMs, expected) => {
    expect(defined(tool('a', { _meta: { 'callboard/timeoutMs': timeoutMs } })).timeoutMs).toBe(expected)
  })

  it.each([
    [{ readOnlyHint: true }, true],
    [{ idempotentHint: true }, true],
    [{ destructiveHint: false }, false],
    [{ readOnlyHint: 'yes' }, false],
    [undefined, false],
  ])('with annotations %j may be repeated: %s [CB-36]', (annotations, expected) => {
    expect(defined(tool('a', { annotations })).retriable).toBe(expected)
  })

  it('has the same hash as an equal one, and another as any other', () => {
    const hashes = [tool('a'), tool('a'), tool('a', { title: 'A' }), tool('b')].map((value) => defined(value).hash)
    expect(new Set(hashes).size).toBe(3)
    expect(defined(tool('a'), 'x_a').hash).not.toBe(defined(tool('a')).hash)
  })
})

it('a template claims what comes before its first expression', () => {
  expect(['note://{id}', 'a:b', 'a:{+x}/{y}'].map(literalPrefix)).toEqual(['note://', 'a:b', 'a:'])
})

it.each([
  ['{}', true],
  ['{"tools":[]}', true],
  ['{"future":{"list":1}}', true],
  ['{"tools":null}', true],
  ['null', false],
  ['[]', false],
  ['{"prompts":{}}', false],
  ['{"completions":"all"}', false],
  ['{"tools":', false],
  ['', false],
])('%s is a body of definitions: %s [CB-20]', (text, expected) => {
  expect(parseDefinitions(Buffer.from(text)) !== undefined).toBe(expected)
})

it('schemas may be as deep as people write them, and no deeper than the stack', () => {
  const nested = (depth: number) =>
    json({ tools: [tool('a', { x: JSON.parse('['.repeat(depth) + ']'.repeat(depth)) })] })
  expect(parseDefinitions(nested(100))).toBeDefined()
  expect(parseDefinitions(nested(200))).toBeUndefined()
})
