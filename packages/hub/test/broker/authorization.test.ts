import { describe, expect, it } from 'vitest'
import { allows, authorize, fits } from '../../src/broker/authorization.js'

const key = { name: 'ada', services: ['ada'], tools: ['*'], resources: ['*'], trusted: false }

describe('a pattern', () => {
  it.each([
    ['read', 'read', true],
    ['read', 'reader', false],
    ['read_*', 'read_all', true],
    ['read_*', 'read_', true],
    ['read_*', 'write', false],
    ['*_all', 'read_all', true],
    ['a*b*c', 'axxbyybc', true],
    ['a*b*c', 'axxbyyb', false],
    ['*', '', true],
    ['', 'x', false],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, text, isFit) => expect(fits(text, pattern)).toBe(isFit))

  it('of many stars costs no more than both lengths together', () => {
    expect(fits('a'.repeat(4_096), `${'*a'.repeat(60)}b`)).toBe(false)
  })
})

describe('what a key allows [CB-107]', () => {
  it.each([
    ['tool', 'read_one', true],
    ['prompt', 'read_two', true],
    ['tool', 'write', false],
    ['resource', 'notes://a/1', true],
    ['resource', 'file:///etc', false],
    ['resourceTemplate', 'notes://a/{id}', true],
    ['resourceTemplate', 'notes://{+any}', false],
  ] as const)('%s %s: %s', (kind, name, isAllowed) => {
    expect(allows({ ...key, tools: ['read_*'], resources: ['notes://a/*'] }, { kind, key: name })).toBe(isAllowed)
  })

  it('no template fits a pattern that ends before its expressions do', () => {
    const narrow = { ...key, resources: ['notes://a*b'] }
    expect(allows(narrow, { kind: 'resourceTemplate', key: 'notes://a{x}b' })).toBe(false)
  })

  it('of several patterns one is enough', () => {
    const several = { ...key, tools: ['list', 'read_*'], resources: ['log:*', 'notes:*'] }
    expect(allows(several, { kind: 'tool', key: 'read_one' })).toBe(true)
    expect(allows(several, { kind: 'resource', key: 'notes:a' })).toBe(true)
    expect(allows(several, { kind: 'resourceTemplate', key: 'notes:{id}' })).toBe(true)
  })

  it.each([
    ['tools', 'tools='],
    ['prompts', 'tools='],
    ['resources', 'resources='],
    ['resourceTemplates', 'resources='],
  ])('what is refused of %s is said with what an operator adds to: %s', (list, option) => {
    const long = 'x'.repeat(200)
    const definitions = { [list]: [{ name: long, uri: long, uriTemplate: long }] } as never
    const { refused } = authorize(definitions, { ...key, tools: [], resources: [] })
    expect(refused).toMatchObject([{ name: 'x'.repeat(128), message: expect.stringContaining(`adds it to ${option}`) }])
  })

  it('what it does not is taken out, and everything else stays as it was', () => {
    const definitions = { tools: [{ name: 'read' }, { name: 'write' }], completions: ['p'], extra: 1 } as never
    const { allowed, refused } = authorize(definitions, { ...key, tools: ['read'] })
    expect(allowed).toMatchObject({ tools: [{ name: 'read' }], completions: ['p'], extra: 1 })
    expect(refused).toEqual([
      { kind: 'tool', name: 'write', code: 'not_authorized', message: expect.stringContaining('key of ada') },
    ])
  })
})
