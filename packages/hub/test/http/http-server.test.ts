import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AddressInUseError, type HttpFront, type HttpOptions, listenHttp } from '../../src/http/http-server.js'
import type { AgentCall, CatalogueView, Identity } from '../../src/port.js'
import { describeAgents } from '../mcp/agent-contract.js'
import { agentKinds, connectAgent, httpTransport } from '../mcp/agents.js'
import { FakeHub, frontOf, json, type Loose, text, untilAborted } from '../mcp/fake-hub.js'

const anonymous: Identity = { session: 'http', principal: 'agent:http', roles: ['agent'] }

const authenticate: HttpOptions['authenticate'] = ({ token, session }) => {
  const name = session === undefined ? 'http' : `${session.kind}:${session.name}`
  if (token === undefined) return { ...anonymous, session: name }
  if (!token.startsWith('good'))
    return { status: 401, error: { code: 'bad_token', message: 'no' }, headers: { 'www-authenticate': 'Bearer' } }
  return { ...anonymous, principal: `agent:${token}`, session: name }
}

const listen = (hub: FakeHub, options: Partial<HttpOptions> = {}) =>
  listenHttp(frontOf(hub), { addresses: [{ host: '127.0.0.1', port: 0 }], authenticate, ...options })
const urlOf = (front: HttpFront, path = '/mcp') => new URL(`http://127.0.0.1:${front.addresses[0]!.port}${path}`)

describeAgents('http', () => {
  let front: HttpFront
  return {
    connect: async (hub, kind) => {
      front = await listen(hub)
      return connectAgent(kind, httpTransport(kind, urlOf(front)))
    },
    close: () => front.close(),
  }
})

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

describe('a connection', () => {
  it('is cut when it sends a request before it has the answer to another', async () => {
    const hub = new FakeHub()
    const called = hub.next('call') as Promise<AgentCall>
    hub.tool('held', ({ signal }) => untilAborted(signal))
    const front = await listen(hub)
    const { port } = front.addresses[0]!
    const socket = connect(port, '127.0.0.1')
    const head = `POST /tools/held HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json`
    const request = `${head}\r\nContent-Length: 2\r\n\r\n{}`
    socket.write(request)
    const aborted = once((await called).signal!, 'abort')
    socket.write(request.repeat(3))
    await Promise.all([once(socket.resume(), 'close'), aborted])
    expect(hub.calls).toHaveLength(1)
    await front.close()
  })
})

describe('listenHttp', () => {
  let hub: FakeHub
  let front: HttpFront

  beforeEach(async () => {
    hub = new FakeHub()
    hub.tool('t', () => text('x'))
    front = await listen(hub)
  })
  afterEach(() => front.close())

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(urlOf(front), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const call = (name: string, _meta?: object, more: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, ...(_meta && { _meta }), ...more },
  })
  const modernHeaders = (name: string) => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  })
  const initialize = (protocolVersion = '2025-11-25') => ({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'p', version: '1' } },
  })
  /** With headers that fetch does not let one set. */
  const raw = (method: string, path: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const { port } = front.addresses[0]!
      const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
      sent.on('error', reject).end()
    })

  it('is healthy', async () => {
    const response = await fetch(urlOf(front, '/healthz'))
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    expect((await fetch(urlOf(front, '/healthz'), { method: 'POST' })).status).toBe(405)
  })

  it('has nothing else', async () => {
    const response = await fetch(urlOf(front, '/nothing?x=1'))
    expect([response.status, await response.json()]).toMatchObject([404, { error_code: 'NOT_FOUND' }])
  })

  it('keeps strange hosts and origins out of everything', async () => {
    for (const path of ['/healthz', '/mcp', '/nothing']) {
      expect(await raw('GET', path, { host: 'evil.example' })).toBe(403)
      expect(await raw('POST', path, { origin: 'http://evil.example' })).toBe(403)
    }
    expect(await raw('GET', '/healthz', { origin: 'http://localhost:9' })).toBe(200)
  })

  it.each([undefined, '*/*', 'application/json', 'application/*'])('answers Accept %s with JSON', async (accept) => {
    const { port } = front.addresses[0]!
    for (const [body, headers] of [
      [call('t'), {}],
      [call('t', modernMeta), modernHeaders('t')],
    ] as const) {
      const sent = httpRequest({
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/mcp',
        headers: { 'content-type': 'application/json', ...headers, ...(accept && { accept }) },
      })
      sent.end(JSON.stringify(body))
      const [response] = await once(sent, 'response')
      expect(response.headers['content-type']).toMatch('application/json')
      let answer = ''
      for await (const chunk of response) answer += chunk
      expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { content: [{ text: 'x' }] } })
    }
  })

  it('sends who takes JSON only the result and nothing before it', async () => {
    hub.tool('chatty', ({ onProgress, onLog, client }) => {
      onProgress?.(json({ progress: 1 }))
      onLog?.('error', json({ data: 1 }))
      return text(JSON.stringify(client))
    })
    for (const [meta, headers] of [
      [{ progressToken: 1 }, {}],
      [{ ...modernMeta, progressToken: 1 }, modernHeaders('chatty')],
    ] as const) {
      const { result }: Loose = await (
        await post(call('chatty', meta), { accept: 'application/json', ...headers })
      ).json()
      const client = JSON.parse(result.content[0].text)
      expect(client).toMatchObject({ progress: false })
      expect(client).not.toHaveProperty('logLevel')
    }
  })

  it('refuses what it cannot read', async () => {
    expect((await post('{"half')).status).toBe(400)
    expect((await post(call('t'), { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post(call('t'), { accept: 'text/html' })).status).toBe(406)
    expect((await post('x'.repeat(4 * 1024 * 1024 + 64 * 1024 + 1))).status).toBe(413)
    expect((await fetch(urlOf(front), { method: 'PUT' })).status).toBe(405)
    expect((await fetch(urlOf(front))).status).toBe(405)
    expect((await fetch(urlOf(front), { method: 'DELETE' })).status).toBe(405)
    expect((await post(null)).status).toBe(400)
  })

  it('cuts a body that goes on past the bound without saying so', async () => {
    const { port } = front.addresses[0]!
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const sent = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: '/mcp', headers })
    sent.on('error', () => {})
    for (let index = 0; index < 5; index++) sent.write('x'.repeat(1024 * 1024))
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(413)
    sent.destroy()
  })

  it('refuses a wrong token in both generations', async () => {
    const authorization = 'Bearer bad'
    for (const response of [
      await post(initialize(), { authorization }),
      await post(call('t'), { authorization }),
      await post(call('t', modernMeta), { authorization, ...modernHeaders('t') }),
      await fetch(urlOf(front), { headers: { authorization, 'mcp-session-id': 'x' } }),
    ]) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(hub.connections).toEqual([])
  })

  it.each(['Basic Z29vZDpnb29k', 'Bearer', 'Bearergood', 'good', ''])(
    'takes nobody for anonymous who presents %j',
    async (authorization) => {
      for (const [body, more] of [
        [call('t'), {}],
        [call('t', modernMeta), modernHeaders('t')],
        [initialize(), {}],
      ] as const) {
        const response = await post(body, { authorization, ...more })
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      }
      expect(hub.connections).toEqual([])
    },
  )

  it('takes the scheme of a bearer token in any case', async () => {
    expect((await post(call('t'), { authorization: 'bearer  good' })).status).toBe(200)
    expect(hub.live[0]!.identity.principal).toBe('agent:good')
  })

  it('refuses what is nested too deep, whatever it is', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const body of [
      deep,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":${deep}}}}`,
    ]) {
      const response = await post(body)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { code: -32600, message: 'Invalid request: nested deeper than 128 levels' } },
      ])
    }
  })

  it('gives every legacy session a session of its own, which only its principal has', async () => {
    const first = await post(initialize(), { authorization: 'Bearer good' })
    const id = first.headers.get('mcp-session-id')!
    expect(id).toMatch(/^[\x21-\x7e]{20,}$/)
    expect(hub.live[0]!.identity).toMatchObject({ principal: 'agent:good', session: `legacy:${id}` })
    await post(initialize(), { authorization: 'Bearer good' })
    expect(new Set(hub.live.map((connection) => connection.identity.session)).size).toBe(2)
    const session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
    expect((await post(call('t'), { ...session, authorization: 'Bearer good' })).status).toBe(200)
    expect((await post(call('t'), { ...session, authorization: 'Bearer good2' })).status).toBe(404)
    const unknown = await post(call('t'), session)
    expect([unknown.status, await unknown.text()]).toEqual([
      404,
      expect.stringMatching(/Session not found.*; initialize again/),
    ])
    const gone = await fetch(urlOf(front), { method: 'DELETE', headers: { ...session, authorization: 'Bearer good' } })
    expect(gone.status).toBe(200)
    expect(hub.live).toHaveLength(1)
    expect((await post(call('t'), { ...session, authorization: 'Bearer good' })).status).toBe(404)
  })

  it('keeps no session for an initialize that was refused', async () => {
    const closed = hub.next('close')
    const refused = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} })
    expect(refused.status).toBe(400)
    await closed
    expect(hub.live).toEqual([])
  })

  it('serves stateless clients of one identity by one connection', async () => {
    for (let index = 0; index < 3; index++) expect((await post(call('t'))).status).toBe(200)
    expect(hub.connections).toHaveLength(1)
  })

  it('lets a modern client choose a session', async () => {
    for (const name of ['a', 'b', 'a']) {
      await post(call('t', { ...modernMeta, 'callboard/session': name }), modernHeaders('t'))
    }
    expect(hub.connections.map((connection) => connection.identity.session)).toEqual(['chosen:a', 'chosen:b'])
    const refused = await post(call('t', { ...modernMeta, 'callboard/session': 7 }), modernHeaders('t'))
    expect(await refused.json()).toMatchObject({ error: { code: -32602 } })
  })

  describe("with a client's wish in the URL", () => {
    const view = (only: readonly string[]): CatalogueView => ({
      filters: [{ only }],
      mode: 'search',
      searchAboveTokens: 0,
      pinned: [],
    })
    let wishing: HttpFront

    beforeEach(async () => {
      wishing = await listen(hub, {
        authenticate: async (attach) => {
          const who = (await authenticate(attach)) as Identity
          return attach.view === undefined ? who : { ...who, view: view(attach.view.only ?? []) }
        },
      })
    })
    afterEach(() => wishing.close())

    it.each(agentKinds)('serves it so: %s', async (kind) => {
      const agent = await connectAgent(
        kind,
        httpTransport(kind, urlOf(wishing, '/mcp?tools=forum:*,weave_*&mode=search')),
      )
      const { tools } = await agent.request('tools/list')
      expect(tools.map(({ name }: Loose) => name)).toEqual(['search_tools', 'call_tool'])
      for (const { identity } of hub.connections) expect(identity.view).toEqual(view(['forum:*', 'weave_*']))
      await agent.close()
    })

    it('keeps clients apart that want different things', async () => {
      for (const query of ['', '?tools=a', '?tools=b', '?tools=a']) {
        const body = JSON.stringify(call('t'))
        await fetch(urlOf(wishing, `/mcp${query}`), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
      }
      expect(hub.connections.map(({ identity }) => identity.view?.filters[0]?.only)).toEqual([undefined, ['a'], ['b']])
    })

    it('says what a parameter was to be that is nearly one, and ignores any other', async () => {
      const send = (query: string) =>
        fetch(urlOf(wishing, `/mcp?${query}`), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(initialize()),
        })
      const refused = await send('tool=forum:*')
      const message = 'The URL\'s query has no "tool": did you mean tools?'
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { message } }])
      expect((await send('trace=1&mode=search')).status).toBe(200)
    })

    it.each(['tools=', 'tools=a%20b', 'mode=all'])('refuses what it does not understand: %s', async (query) => {
      const headers = { 'content-type': 'application/json' }
      for (const body of [initialize(), call('t')]) {
        const response = await fetch(urlOf(wishing, `/mcp?${query}`), {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        })
        expect([response.status, await response.json()]).toMatchObject([
          400,
          { error: { message: expect.stringContaining("The URL's") } },
        ])
      }
    })
  })

  it('checks the headers of a modern request against its body', async () => {
    const response = await post(call('t', modernMeta), { ...modernHeaders('other') })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32020 } }])
  })

  it('takes the end of a modern stream for a cancellation', async () => {
    hub.tool('slow', ({ signal }) => untilAborted(signal))
    const called = hub.next('call')
    const abort = new AbortController()
    const headers = { 'content-type': 'application/json', ...modernHeaders('slow') }
    const body = JSON.stringify(call('slow', modernMeta))
    const answer = fetch(urlOf(front), { method: 'POST', headers, body, signal: abort.signal })
    const { signal } = (await called) as { signal: AbortSignal }
    abort.abort()
    await expect(answer).rejects.toThrow()
    await untilAborted(signal)
  })

  it('tells a subscriber only of what its own principal sees', async () => {
    const agents = await Promise.all(
      ['good1', 'good2'].map((token) =>
        connectAgent('sdk 2 modern', httpTransport('sdk 2 modern', urlOf(front), { authorization: `Bearer ${token}` })),
      ),
    )
    for (const agent of agents) await agent.listen(['a://b'])
    const [one, two] = ['agent:good1', 'agent:good2'].map(
      (principal) => hub.live.find((connection) => connection.identity.principal === principal)!,
    )
    // Which is of a list that no modern client has.
    one!.listener.listChanged('prompts', 'session')
    one!.listChanged('tools')
    two!.listChanged('prompts')
    await agents[0]!.notified('notifications/tools/list_changed')
    const unheard = new Promise((resolve) => setImmediate(() => resolve('unheard')))
    expect(await Promise.race([agents[0]!.notified('notifications/prompts/list_changed'), unheard])).toBe('unheard')
    await agents[1]!.notified('notifications/prompts/list_changed')
    for (const agent of agents) await agent.close()
  })

  it('closes within the grace although streams are open, and tells their readers', async () => {
    const legacy = await connectAgent('sdk 1', httpTransport('sdk 1', urlOf(front)))
    const modern = await connectAgent('sdk 2 modern', httpTransport('sdk 2 modern', urlOf(front)))
    const stream = (await modern.listen()) as Loose
    const idle = connect(front.addresses[0]!.port, '127.0.0.1')
    await once(idle, 'connect')
    const started = performance.now()
    await front.close()
    expect(performance.now() - started).toBeLessThan(1_500)
    expect(await stream.closed).toBe('graceful')
    expect(hub.live).toEqual([])
    idle.destroy()
    await Promise.all([legacy.close(), modern.close()])
  })
})

describe('listenHttp on several addresses', () => {
  const hub = new FakeHub()

  it('serves both loopbacks on one port', async () => {
    const addresses = [
      { host: '127.0.0.1', port: 0 },
      { host: '::1', port: 0 },
    ]
    const front = await listen(hub, { addresses })
    for (const { host, port } of front.addresses) {
      const name = host.includes(':') ? `[${host}]` : host
      expect((await fetch(`http://${name}:${port}/healthz`)).status).toBe(200)
    }
    expect(new Set(front.addresses.map(({ port }) => port)).size).toBe(1)
    await front.close()
  })

  it('goes on without an address that the machine does not have', async () => {
    const addresses = [
      { host: '127.0.0.1', port: 0 },
      { host: '192.0.2.1', port: 0 },
    ]
    const front = await listen(hub, { addresses })
    expect(front.addresses).toHaveLength(1)
    await front.close()
    await expect(listen(hub, { addresses: [{ host: '192.0.2.1', port: 0 }] })).rejects.toThrow()
  })

  it('says that a port is taken, and keeps nothing open', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    await expect(listen(hub, { addresses: [{ host: '127.0.0.1', port }] })).rejects.toThrow(AddressInUseError)
    other.close()
  })
})
