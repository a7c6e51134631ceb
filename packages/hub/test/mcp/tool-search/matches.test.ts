import type { ToolDefinition } from '@callboard/protocol'
import { describe, expect, it } from 'vitest'
import { tokensOf, wholeWithinBudget, withinBudget } from '../../../src/mcp/tool-search/matches.js'

const tool = (name: string, length: number, properties: object = {}): ToolDefinition => ({
  name,
  description: 'x'.repeat(length),
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
})

describe('withinBudget', () => {
  it('shows whole what fits, without what only a result needs', () => {
    const small = {
      ...tool('a', 10),
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' },
      _meta: { x: 1 },
    }
    const { outputSchema: _, _meta: __, ...shown } = small
    expect(withinBudget([small])).toEqual([shown])
  })

  it('shortens the large ones so that the small ones keep their place', () => {
    const deep = { of: { type: 'object', properties: { x: {} }, description: 'y'.repeat(500) } }
    const shown = withinBudget([tool('large', 50_000, deep), tool('small', 10)])
    expect(shown).toEqual([
      {
        name: 'large',
        description: `${'x'.repeat(299)}…`,
        inputSchema: {
          type: 'object',
          properties: { of: { type: 'object', description: `${'y'.repeat(79)}…` } },
          required: ['of'],
        },
        shortened: true,
      },
      tool('small', 10),
    ])
  })

  it('names at least the parameters, and leaves out what does not fit even so', () => {
    const wide = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`parameter_${index}`, {}]))
    const shown = withinBudget(Array.from({ length: 50 }, (_, index) => tool(`t${index}`, 1_000, wide)))
    expect(shown[0]).toMatchObject({ name: 't0', shortened: true })
    expect(shown[0]!['parameters']).toHaveLength(20)
    expect(shown.length).toBeLessThan(50)
    expect(tokensOf(shown)).toBeLessThan(4_100)
  })

  it('takes any schema that a worker may send', () => {
    const odd = { ...tool('odd', 20_000), inputSchema: { type: 'object', properties: [1], required: 'x' } } as never
    expect(withinBudget([odd])).toHaveLength(1)
  })
})

describe('wholeWithinBudget', () => {
  it('gives the first one however large, and others while there is room', () => {
    const tools = [tool('a', 60_000), tool('b', 60_000), tool('c', 10)]
    expect(wholeWithinBudget(tools).map(({ name }) => name)).toEqual(['a'])
    expect(wholeWithinBudget(tools.slice(2))).toEqual(tools.slice(2))
  })
})
