import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { entryTextOf, messageText } from '../../src/mcp/list-text.js'
import { FakeHub, frontOf, type Loose, text } from './fake-hub.js'
import { LinePeer } from './line-peer.js'

describe('messageText', () => {
  it('says what JSON.stringify says, of any message', () => {
    const entries = fc.array(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()).map(known)))
    const page = fc.oneof(entries, fc.jsonValue())
    const result = fc.oneof(
      fc.jsonValue(),
      fc.record({ tools: page, prompts: page, nextCursor: fc.string(), _meta: fc.jsonValue() }, { requiredKeys: [] }),
    )
    const message = fc.record(
      { jsonrpc: fc.constant('2.0'), id: fc.jsonValue(), result, method: fc.string(), params: fc.jsonValue() },
      { requiredKeys: ['jsonrpc'] },
    )
    fc.assert(
      fc.property(message, (any) => {
        expect(JSON.parse(messageText(any as never))).toEqual(JSON.parse(JSON.stringify(any)))
        // A second time, from memory.
        expect(JSON.parse(messageText(any as never))).toEqual(JSON.parse(JSON.stringify(any)))
      }),
      { numRuns: 500 },
    )
  })

  it('writes an entry once, however many lists it is in', () => {
    const toJSON = vi.fn(() => ({ name: 'a' }))
    const entry = { toJSON }
    entryTextOf(entry)
    for (let count = 0; count < 3; count += 1) {
      const message = { jsonrpc: '2.0', id: 1, result: { tools: [entry], nextCursor: 'c' } }
      expect(messageText(message as never)).toBe(
        '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"c"}}',
      )
    }
    expect(toJSON).toHaveBeenCalledOnce()
  })
})

const known = <T extends object>(entry: T): T => {
  entryTextOf(entry)
  return entry
}

describe('lists on a line', () => {
  const modern = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  const ofTheEra = {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'callboard', version: '1.2.3' } },
  }

  async function listed(hub: FakeHub, era: 'legacy' | 'modern', cursor?: string): Promise<Loose> {
    const peer = LinePeer.to(frontOf(hub, { pageSize: 2 }))
    if (era === 'legacy') await peer.initialize()
    const params = { ...(era === 'modern' && modern), ...(cursor !== undefined && { cursor }) }
    peer.write({ jsonrpc: '2.0', id: 'l', method: 'tools/list', params })
    const answer = await peer.read()
    await peer.served.close()
    expect(answer).toEqual({ jsonrpc: '2.0', id: 'l', result: expect.anything() })
    return answer.result
  }

  it.each(['legacy', 'modern'] as const)('have what the era asks for, and nothing else: %s', async (era) => {
    const hub = new FakeHub()
    for (const name of ['a', 'b', 'c']) hub.tool(name, () => text(''), { title: `"${name}" \u2028 ü` })
    const more = era === 'modern' ? ofTheEra : {}
    // Twice: made, and from memory.
    for (let count = 0; count < 2; count += 1) {
      const first = await listed(hub, era)
      expect(first).toEqual({ tools: hub.tools.slice(0, 2), nextCursor: expect.any(String), ...more })
      expect(await listed(hub, era, first.nextCursor)).toEqual({ tools: hub.tools.slice(2), ...more })
    }
    hub.tools = []
    expect(await listed(hub, era)).toEqual({ tools: [], ...more })
  })

  it('adapt to their era what only the other one has, in lists that both have seen', async () => {
    const hub = new FakeHub()
    hub.tool('plain', () => text(''))
    hub.tool('list', () => text(''), { outputSchema: { type: 'array' } as never })
    for (let count = 0; count < 2; count += 1) {
      expect((await listed(hub, 'modern')).tools).toEqual(hub.tools)
      const [plain, list] = (await listed(hub, 'legacy')).tools
      expect(plain).toEqual(hub.tools[0])
      expect(list.outputSchema).toMatchObject({ type: 'object', properties: { result: { type: 'array' } } })
    }
  })
})
