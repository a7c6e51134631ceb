import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AgentCall, CallOutcome } from '../../src/port.js'
import { FakeHub, frontOf, json, type Loose, result, text, untilAborted } from './fake-hub.js'
import { LinePeer } from './line-peer.js'

type Era = 'legacy' | 'modern'

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'peer', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}
const question = { ask: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } } }

/** An agent whose calls may go both ways: what is written with spaces is the SDK's. */
class Agent {
  readonly hub = new FakeHub()
  readonly peer: ReturnType<typeof LinePeer.to>
  readonly #era: Era
  #id = 0

  constructor(era: Era) {
    this.#era = era
    this.peer = LinePeer.to(frontOf(this.hub))
    onTestFinished(() => this.peer.served.close())
  }

  /** So that the hub knows who is there. */
  async begin(): Promise<void> {
    if (this.#era === 'legacy') await this.peer.initialize('2025-11-25', { elicitation: { form: {} } })
    this.hub.tool('known', () => text('known'))
    await this.usual({ name: 'known' })
  }

  direct(params: object): Promise<Loose> {
    return this.ask(JSON.stringify(this.#message(params)))
  }

  usual(params: object): Promise<Loose> {
    return this.ask(JSON.stringify(this.#message(params)).replace('{', '{ '))
  }

  /** Without the id, which differs. */
  async ask(line: string): Promise<Loose> {
    this.peer.write(line)
    const { id, ...answer } = await this.peer.read()
    expect(id).toBe(this.#id)
    return answer
  }

  #message(params: Loose) {
    const _meta = { ...(this.#era === 'modern' && modernMeta), ...params._meta }
    return {
      jsonrpc: '2.0',
      id: ++this.#id,
      method: 'tools/call',
      params: { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) },
    }
  }
}

async function agentOf(era: Era): Promise<Agent> {
  const agent = new Agent(era)
  await agent.begin()
  return agent
}

const trusted = (value: object): CallOutcome => ({ kind: 'result', body: json(value), isError: false, trusted: true })
const raw = (body: string): CallOutcome => ({ kind: 'result', body: Buffer.from(body), isError: false, trusted: false })
const failure = { code: 'overloaded', message: 'Too much.', retryable: true, retryAfterMs: 50 } as const

/** Everything that may come of a call. */
const outcomes: readonly [string, CallOutcome][] = [
  ['a text', text('Grüße, 世界 🎭')],
  ['a text of a trusted worker', trusted({ content: [{ type: 'text', text: 'Grüße, 世界 🎭' }] })],
  ['a large one', trusted({ content: [{ type: 'text', text: 'ü'.repeat(300_000) }] })],
  ['structured content', result({ content: [], structuredContent: { a: [1] } })],
  ['structured content of a trusted worker', trusted({ content: [], structuredContent: { a: [1] } })],
  ['structured content that is no object', result({ content: [], structuredContent: [1] })],
  ['the same of a trusted worker', trusted({ content: [], structuredContent: [1] })],
  ['an image', result({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] })],
  ['an error of the tool', result({ content: [{ type: 'text', text: 'no' }], isError: true })],
  ['marks of its own', result({ content: [], _meta: { 'x/y': 1 } })],
  ['forged marks', trusted({ content: [], _meta: { 'callboard/error': 1, 'io.modelcontextprotocol/serverInfo': 2 } })],
  ['a kind of result', trusted({ content: [], resultType: 'input_required' })],
  ['no content', trusted({ structuredContent: { a: 1 } })],
  ['unknown members', result({ content: [], extra: { z: 1 } })],
  ['content of no kind', result({ content: [{ type: 'x' }] })],
  ['spaces and lines', raw('{ "content":\n[] }')],
  ['two results', raw('{"content":[]},"id":7,"x":{"content":[]}')],
  ['two lines', raw('{"content":[]}\n{"jsonrpc":"2.0","id":9,"result":{}}')],
  ['no JSON', raw('{"content":[')],
  ['an error of the protocol', { kind: 'error', body: json({ code: -32099, message: 'No.', data: { a: 1 } }) }],
  ['an error that is none', { kind: 'error', body: json({ code: 'x' }) }],
  ['a failure', { kind: 'failure', failure }],
  ['nothing', { kind: 'unknown' }],
]

describe.each(['legacy', 'modern'] as const)('a plain call of a %s agent', (era) => {
  it.each(outcomes)('is answered as the SDK would answer it: %s', async (_, outcome) => {
    const agent = await agentOf(era)
    agent.hub.tool('t', () => outcome)
    const params = { name: 't', arguments: { a: 'ü' } }
    const usual = await agent.usual(params)
    expect(agent.hub.begun).toBe(0)
    expect(await agent.direct(params)).toEqual(usual)
    expect(agent.hub.begun).toBe(1)
  })

  it('reaches the worker as the SDK would hand it on', async () => {
    const agent = await agentOf(era)
    const seen: AgentCall[] = []
    agent.hub.tool('t', (call) => {
      seen.push(call)
      return text('x')
    })
    const params = { name: 't', arguments: {}, _meta: { progressToken: 7, 'callboard/idempotencyKey': 'k' } }
    await agent.usual(params)
    await agent.direct(params)
    const [usual, direct] = seen.map(({ onLog, onProgress, signal, body, ...call }) => ({
      ...call,
      params: JSON.parse(Buffer.from(body).toString()),
    }))
    // What a modern client says of itself the SDK keeps for itself.
    const asked =
      era === 'modern' ? { ...usual!.params, _meta: { ...usual!.params._meta, ...modernMeta } } : usual!.params
    expect(direct).toEqual({ ...usual, params: asked })
  })

  it.each([
    ['a task', { execution: { taskSupport: 'required' } }],
    ['a tool whose results eras adapt', { outputSchema: { type: 'array' } }],
  ])('leaves %s to the SDK', async (_, definition) => {
    const agent = await agentOf(era)
    agent.hub.tool('t', () => text('x'), definition as Loose)
    await agent.direct({ name: 't' })
    expect(agent.hub.begun).toBe(0)
  })

  it('leaves unknown tools to the SDK', async () => {
    const agent = await agentOf(era)
    expect(await agent.direct({ name: 'knwn' })).toMatchObject({ error: { code: -32602 } })
    expect(agent.hub.begun).toBe(0)
  })

  it('tells of progress and of logs before it is answered, and under no false name', async () => {
    const agent = await agentOf(era)
    agent.hub.tool('t', (call) => {
      call.onProgress?.(json({ progress: 1, progressToken: 'another', _meta: { 'callboard/x': 1 } }))
      call.onLog?.('warning', json({ data: 'hm', level: 'debug' }))
      call.onProgress?.(json({ progress: 'no number' }))
      call.onProgress?.(Buffer.from('{'))
      return text('x')
    })
    const id = 77
    const _meta = { ...(era === 'modern' && modernMeta), progressToken: 'p' }
    agent.peer.write(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify({ name: 't', _meta })}}`,
    )
    expect(await agent.peer.read()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progress: 1, progressToken: 'p' },
    })
    expect(await agent.peer.read()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { data: 'hm', level: 'warning' },
    })
    expect(await agent.peer.read()).toMatchObject({ id, result: { content: [{ text: 'x' }] } })
    expect(agent.hub.begun).toBe(1)
  })

  it('is cancelled by its id, and not answered', async () => {
    const agent = await agentOf(era)
    agent.hub.tool('t', ({ signal }) => untilAborted(signal))
    const _meta = era === 'modern' ? modernMeta : {}
    for (const id of [1, '1']) {
      const params = JSON.stringify({ name: 't', _meta })
      agent.peer.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}`)
    }
    await vi.waitFor(() => expect(agent.hub.begun).toBe(2))
    const [number, string] = agent.hub.calls.slice(-2) as [AgentCall, AgentCall]
    agent.peer.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '1' } })
    await vi.waitFor(() => expect(string.signal!.aborted).toBe(true))
    expect(number.signal!.aborted).toBe(false)
    agent.peer.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await vi.waitFor(() => expect(number.signal!.aborted).toBe(true))
    // Nothing came in between.
    expect(await agent.usual({ name: 'known' })).toMatchObject({ result: { content: [{ text: 'known' }] } })
  })

  it('may ask its user something, and goes on with the answer', async () => {
    const agent = await agentOf(era)
    agent.hub.tool('t', () => {
      agent.hub.suspended.set('c', (input: Loose) => text(input.inputResponses.ask.content.name))
      return { kind: 'input_required', id: 'c', body: json({ inputRequests: question }) }
    })
    const answer = { action: 'accept', content: { name: 'Ada' } }
    if (era === 'modern') {
      const { result: asked } = await agent.direct({ name: 't' })
      expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: question })
      const { requestState } = asked
      const params = { name: 't', requestState, inputResponses: { ask: answer } }
      expect(await agent.direct(params)).toMatchObject({ result: { content: [{ text: 'Ada' }] } })
    } else {
      agent.peer.write('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"t"}}')
      const asked = await agent.peer.read()
      expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } })
      agent.peer.write({ jsonrpc: '2.0', id: asked.id, result: answer })
      expect(await agent.peer.read()).toMatchObject({ id: 9, result: { content: [{ text: 'Ada' }] } })
    }
    expect(agent.hub.begun).toBe(1)
  })
})

it('a modern agent that says something new of itself is judged by the SDK first', async () => {
  const agent = await agentOf('modern')
  agent.hub.tool('t', () => text('x'))
  const other = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: 7 } }
  expect(await agent.direct({ name: 't', _meta: other })).toHaveProperty('error')
  expect(await agent.direct({ name: 't', _meta: other })).toHaveProperty('error')
  const future = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
  expect(await agent.direct({ name: 't', _meta: future })).toMatchObject({ error: { code: -32022 } })
  const more = { 'io.modelcontextprotocol/unheard-of': 1 }
  expect(await agent.direct({ name: 't', _meta: more })).toHaveProperty('result')
  expect(agent.hub.begun).toBe(0)
})

it('a legacy agent is known only when it has said that it is initialized', async () => {
  const hub = new FakeHub()
  hub.tool('t', () => text('x'))
  const peer = LinePeer.to(frontOf(hub))
  peer.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}')
  await peer.read()
  expect(hub.begun).toBe(0)
  await peer.served.close()
})
