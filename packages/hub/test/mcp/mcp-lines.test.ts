import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeAgents } from './agent-contract.js'
import { FakeHub, frontOf, json, type Loose, parsed, result, text, untilAborted } from './fake-hub.js'
import { agentOnLines, LinePeer } from './line-peer.js'

describeAgents('lines', () => ({
  connect: (hub, kind) => agentOnLines(frontOf(hub), kind),
  close: async () => {
    // The agent has closed its end; the hub's follows in the same tick.
    await new Promise((resolve) => setImmediate(resolve))
  },
}))

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

describe('serveLines', () => {
  it('answers ids of every type, 0 included', async () => {
    const hub = new FakeHub()
    hub.tool('t', () => text('x'))
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize()
    for (const id of [0, 'zero', 7, '7']) {
      peer.write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 't' } })
      expect(await peer.read()).toMatchObject({ id, result: { content: [{ text: 'x' }] } })
    }
    await peer.served.close()
  })

  it.each([
    ['legacy', 'tools/list', { cursor: 5 }, 'params.cursor'],
    ['legacy', 'logging/setLevel', { level: 'loud' }, 'params.level'],
    ['legacy', 'resources/subscribe', {}, 'params.uri'],
    ['modern', 'prompts/list', { cursor: {} }, 'params.cursor'],
    ['modern', 'resources/list', { cursor: [] }, 'params.cursor'],
  ])('says of wrong params that they are the client’s, and which: %s %s', async (era, method, params, where) => {
    const peer = LinePeer.to(frontOf(new FakeHub()))
    if (era === 'legacy') await peer.initialize()
    const _meta = era === 'modern' ? modernMeta : undefined
    peer.write({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
    const { error } = await peer.read()
    expect(error).toEqual({ code: -32602, message: expect.stringMatching(`^Invalid params: ${where}: [^\\n]+$`) })
    await peer.served.close()
  })

  it('gives every request exactly one answer, however odd it is', async () => {
    const methods = ['ping', 'initialize', 'server/discover', 'tools/list', 'tools/call', 'resources/read']
    const moreMethods = ['completion/complete', 'resources/subscribe', 'logging/setLevel', 'notifications/cancelled']
    const token = fc.oneof(fc.constantFrom(null, {}, [1], 1.5, true, 1, 'p', 2 ** 60), fc.jsonValue())
    const sometimes = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: [] })
    const meta = sometimes({
      progressToken: token,
      'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constant('2026-07-28'), fc.jsonValue()),
      'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), fc.jsonValue()),
      'io.modelcontextprotocol/related-task': fc.jsonValue(),
    })
    const params = sometimes({
      _meta: fc.oneof(meta, meta, fc.constantFrom(null, []), fc.jsonValue()),
      name: fc.jsonValue(),
      uri: fc.jsonValue(),
      cursor: fc.jsonValue(),
      arguments: fc.jsonValue(),
      inputResponses: fc.jsonValue(),
      requestState: fc.jsonValue(),
      requestId: fc.constant(1),
    })
    const members = {
      jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', 2),
      id: fc.oneof(fc.maxSafeInteger(), fc.string(), fc.constant(1)),
      method: fc.oneof(fc.constantFrom(...methods, ...moreMethods), fc.string(), fc.jsonValue()),
      params: fc.oneof(params, params, fc.jsonValue()),
      result: fc.jsonValue(),
      error: fc.jsonValue(),
      extra: fc.jsonValue(),
    }
    const request = fc.record(members, { requiredKeys: ['jsonrpc', 'id', 'method'] })
    await fc.assert(
      fc.asyncProperty(request, fc.constantFrom('fresh', 'legacy', 'modern'), async (asked, state) => {
        const peer = LinePeer.to(frontOf(new FakeHub()))
        if (state === 'legacy') await peer.initialize()
        if (state === 'modern') {
          peer.write({ jsonrpc: '2.0', id: 'i', method: 'tools/list', params: { _meta: modernMeta } })
          await peer.read()
        }
        peer.stream.end(`${JSON.stringify(asked)}\n`)
        const ids: unknown[] = []
        for (let line = await peer.read(); line !== undefined; line = await peer.read()) {
          if (!('method' in line)) ids.push(line.id)
        }
        expect(ids).toEqual([asked.id])
      }),
      { numRuns: 500 },
    )
  }, 30_000)

  it('refuses arguments that are nested too deep by a clear sentence', async () => {
    const peer = LinePeer.to(frontOf(new FakeHub()))
    await peer.initialize()
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    peer.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":${deep}}}}`)
    const message = 'Invalid request: nested deeper than 128 levels'
    expect(await peer.read()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32600, message } })
    await peer.served.close()
  })

  it('cancels a request with the id 0', async () => {
    const hub = new FakeHub()
    hub.tool('slow', ({ signal }) => untilAborted(signal))
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize()
    const called = hub.next('call')
    peer.write({ jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: 'slow' } })
    const { signal } = (await called) as { signal: AbortSignal }
    peer.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } })
    await untilAborted(signal)
    await peer.served.close()
  })

  it('writes progress before the result and apart from it', async () => {
    const hub = new FakeHub()
    hub.tool('work', ({ onProgress }) => {
      onProgress?.(json({ progress: 1 }))
      return text('done')
    })
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize()
    const chunks: string[] = []
    peer.stream.on('data', (chunk) => chunks.push(String(chunk)))
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', _meta: { progressToken: 'p' } } })
    expect(await peer.read()).toMatchObject({ params: { progressToken: 'p', progress: 1 } })
    expect(await peer.read()).toMatchObject({ id: 1, result: {} })
    expect(chunks).toHaveLength(2)
    await peer.served.close()
  })

  it('takes a refused question for the end of the call', async () => {
    const hub = new FakeHub()
    const params = { message: 'x', requestedSchema: { type: 'object', properties: {} } }
    const body = json({ inputRequests: { a: { method: 'elicitation/create', params } } })
    hub.tool('ask', () => ({ kind: 'input_required', id: 'c', body }))
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize('2025-11-25', { elicitation: {} })
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } })
    const question = await peer.read()
    expect(question).toMatchObject({ method: 'elicitation/create', params })
    peer.write({ jsonrpc: '2.0', id: question.id, error: { code: -1, message: 'will not' } })
    expect(await peer.read()).toMatchObject({ id: 1, result: { isError: true } })
    expect(hub.abandoned).toEqual(['c'])
    await peer.served.close()
  })

  it('asks nothing that the client did not say it could answer', async () => {
    const hub = new FakeHub()
    const body = json({ inputRequests: { a: { method: 'roots/list' } } })
    hub.tool('ask', () => ({ kind: 'input_required', id: 'c', body }))
    const legacy = LinePeer.to(frontOf(hub))
    await legacy.initialize()
    legacy.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } })
    expect(await legacy.read()).toMatchObject({ id: 1, result: { isError: true } })
    const modern = LinePeer.to(frontOf(hub))
    modern.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', _meta: modernMeta } })
    expect(await modern.read()).toMatchObject({
      id: 1,
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    })
    expect(hub.abandoned).toEqual(['c', 'c'])
    await Promise.all([legacy.served.close(), modern.served.close()])
  })

  it('takes the state of a suspended call once, and only for the same call', async () => {
    const hub = new FakeHub()
    const params = { message: 'x', requestedSchema: { type: 'object', properties: {} } }
    hub.tool('ask', () => {
      hub.suspended.set('c', (input, { onProgress }) => {
        onProgress?.(json({ progress: 2 }))
        return result({ content: [], structuredContent: input as object })
      })
      return {
        kind: 'input_required',
        id: 'c',
        body: json({ inputRequests: { a: { method: 'elicitation/create', params } } }),
      }
    })
    const peer = LinePeer.to(frontOf(hub))
    const call = (id: number, args: object, more: object = {}, progressToken: number = id) => {
      const _meta = { ...modernMeta, progressToken }
      peer.write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask', arguments: args, _meta, ...more } })
    }
    call(1, { a: 1 })
    const { result: asked } = await peer.read()
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create', params } },
    })
    const { requestState } = asked
    const inputResponses = { a: { action: 'accept', content: {} } }
    call(2, { a: 2 }, { requestState, inputResponses })
    expect(await peer.read()).toMatchObject({ id: 2, error: { code: -32602 } })
    call(3, { a: 1 }, { requestState, inputResponses })
    // Progress goes to the request that now waits.
    expect(await peer.read()).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 3, progress: 2 },
    })
    expect(await peer.read()).toMatchObject({ id: 3, result: { structuredContent: { inputResponses } } })
    call(4, { a: 1 }, { requestState, inputResponses })
    expect(await peer.read()).toMatchObject({ id: 4, error: { code: -32602 } })
    call(5, { a: 1 }, { requestState: 17 })
    expect(await peer.read()).toMatchObject({ id: 5, error: { code: -32602 } })
    await peer.served.close()
  })

  it('refuses a revision that nobody speaks at every request as at the first', async () => {
    const hub = new FakeHub()
    hub.tool('t', () => text('x'))
    const peer = LinePeer.to(frontOf(hub))
    const ask = async (id: number, method: string, revision?: unknown) => {
      const _meta = revision === undefined ? {} : { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': revision }
      peer.write({ jsonrpc: '2.0', id, method, params: { name: 't', _meta } })
      return peer.read()
    }
    const refused = (await ask(1, 'tools/call', '2099-01-01')).error
    expect(refused).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } })
    // Before and after the client has settled for this generation.
    for (const settling of ['server/discover', 'tools/call']) {
      expect(await ask(2, settling, '2026-07-28')).toHaveProperty('result')
      for (const method of ['tools/call', 'tools/list', 'server/discover', 'subscriptions/listen', 'initialize']) {
        expect(await ask(3, method, '2099-01-01'), method).toEqual({ jsonrpc: '2.0', id: 3, error: refused })
      }
    }
    for (const revision of [undefined, 7]) {
      expect(await ask(4, 'tools/call', revision)).toMatchObject({ id: 4, error: { code: -32602 } })
    }
    expect(await ask(5, 'tools/call', '2026-07-28')).toMatchObject({ id: 5, result: { content: [{ text: 'x' }] } })
    await peer.served.close()
  })

  it('pages long lists', async () => {
    const hub = new FakeHub()
    for (let index = 0; index < 5; index++) hub.tool(`t${index}`, () => text(''))
    const peer = LinePeer.to(frontOf(hub, { pageSize: 2 }))
    await peer.initialize()
    const names: string[] = []
    let cursor: string | undefined
    do {
      peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { ...(cursor && { cursor }) } })
      const page = (await peer.read()).result
      names.push(...page.tools.map(({ name }: { name: string }) => name))
      cursor = page.nextCursor
    } while (cursor)
    expect(names).toEqual(['t0', 't1', 't2', 't3', 't4'])
    await peer.served.close()
  })

  it('tells a legacy client nothing before it is initialized', async () => {
    const hub = new FakeHub()
    const peer = LinePeer.to(frontOf(hub))
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'p', version: '1' } }
    peer.write({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(await peer.read()).toMatchObject({ id: 1 })
    hub.live[0]!.listChanged('tools')
    peer.write({ jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(await peer.read()).toMatchObject({ id: 2 })
    hub.live[0]!.listChanged('resources')
    expect(await peer.read()).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/list_changed' })
    await peer.served.close()
  })

  it("tells a client of the list of its generation: its session's or its principal's", async () => {
    const hub = new FakeHub()
    const [legacy, modern] = [LinePeer.to(frontOf(hub)), LinePeer.to(frontOf(hub))]
    await legacy.initialize()
    const params = { _meta: modernMeta, notifications: { toolsListChanged: true, promptsListChanged: true } }
    modern.write({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    expect(await modern.read()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    for (const { listener } of hub.live) {
      listener.listChanged('tools', 'session')
      listener.listChanged('prompts', 'principal')
    }
    expect(await legacy.read()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(await modern.read()).toMatchObject({ method: 'notifications/prompts/list_changed' })
    await Promise.all([legacy.served.close(), modern.served.close()])
  })

  it('advertises completions only while somebody completes', async () => {
    const hub = new FakeHub()
    hub.completes = false
    const peer = LinePeer.to(frontOf(hub))
    expect((await peer.initialize()).result.capabilities).not.toHaveProperty('completions')
    await peer.served.close()
  })

  it('passes on that roots have changed', async () => {
    const hub = new FakeHub()
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize()
    const changed = hub.next('roots')
    peer.write({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
    await changed
    await peer.served.close()
  })

  it('serves batches where the revision has them', async () => {
    const hub = new FakeHub()
    hub.tool('t', (call) => text(parsed(call.body).arguments.n))
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize('2025-03-26')
    const call = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 't', arguments: { n: `${id}` } },
    })
    peer.write([call(1), call(2)])
    const answers = await peer.read()
    expect(answers.map(({ id, result }: Loose) => [id, result.content[0].text])).toEqual([
      [1, '1'],
      [2, '2'],
    ])
    await peer.served.close()
  })

  it('does not take a cancelled call for an answer', async () => {
    const hub = new FakeHub()
    hub.tool('slow', ({ signal }) => untilAborted(signal))
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize()
    const called = hub.next('call')
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } })
    await called
    peer.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    peer.write({ jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(await peer.read()).toMatchObject({ id: 2 })
    await peer.served.close()
    expect(await peer.read()).toBeUndefined()
  })

  it('closes its connection to the hub when the client goes', async () => {
    const hub = new FakeHub()
    const peer = LinePeer.to(frontOf(hub))
    await peer.initialize()
    peer.stream.end()
    await peer.served.closed
    expect(hub.live).toEqual([])
  })
})
