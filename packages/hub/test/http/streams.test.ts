import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentCall, CallOutcome } from '../../src/port.js'
import { connectAgent, httpTransport } from '../mcp/agents.js'
import { json, text, untilAborted } from '../mcp/fake-hub.js'
import { modernMeta, TestFront } from './front.js'

const call = (id: number, name: string, _meta: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, _meta },
})
const modern = (name: string, method = 'tools/call') => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  'mcp-name': name,
})
const cancelled = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

/** A tool that answers when the test says so. */
function heldTool(front: TestFront, name = 'held') {
  const called = front.hub.next('call') as Promise<AgentCall>
  let release = (_: CallOutcome) => {}
  const released = new Promise<CallOutcome>((resolve) => {
    release = resolve
  })
  front.hub.tool(name, () => released)
  return { called, answer: (words: string) => release(text(words)) }
}

const kinds = ['a session', 'no session', 'a subscription', 'the stream of a session'] as const

/** Opens a stream on which nothing happens by itself; it is there with the headers of the answer. */
async function openStream(front: TestFront, kind: (typeof kinds)[number]) {
  switch (kind) {
    case 'a session':
      return front.stream(await front.session(), call(1, 'held'))
    case 'no session':
      return front.stream({}, call(1, 'held'))
    case 'a subscription': {
      const params = { notifications: { toolsListChanged: true }, _meta: modernMeta }
      const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
      return front.stream(modern('', 'subscriptions/listen'), body)
    }
    case 'the stream of a session':
      return front.stream(await front.session())
    default:
      return kind satisfies never
  }
}

describe('an open stream', () => {
  it.each(kinds)('is begun before there is anything on it: %s', async (kind) => {
    // Nothing else may bring the headers.
    const front = await TestFront.listen({ streams: { keepAliveMs: 3_600_000 } })
    const { answer } = heldTool(front)
    const stream = await openStream(front, kind)
    expect(stream.response.headers['content-type']).toBe('text/event-stream')
    answer('x')
    stream.cut()
  })

  it.each(kinds)('shows signs of life: %s', async (kind) => {
    const front = await TestFront.listen({ streams: { keepAliveMs: 5 } })
    const { answer } = heldTool(front)
    const stream = await openStream(front, kind)
    for (let count = 0; count < 3; ) if ((await stream.next())?.comment === 'keepalive') count += 1
    answer('x')
    stream.cut()
  })

  it('is begun for a modern call that takes long, and holds its answer', async () => {
    const front = await TestFront.listen({ streams: { keepAliveMs: 5 } })
    const { answer } = heldTool(front)
    const stream = await front.stream(modern('held'), call(1, 'held', modernMeta))
    expect(stream.response.headers['content-type']).toBe('text/event-stream')
    expect(await stream.next()).toEqual({ comment: 'keepalive' })
    answer('late')
    expect(await stream.message()).toMatchObject({ id: 1, result: { content: [{ text: 'late' }] } })
    expect(await stream.message()).toBeUndefined()
  })

  it('is begun before a modern call speaks, too', async () => {
    const front = await TestFront.listen({ streams: { keepAliveMs: 5 } })
    const { called, answer } = heldTool(front)
    const stream = await front.stream(modern('held'), call(1, 'held', { ...modernMeta, progressToken: 1 }))
    expect(await stream.next()).toEqual({ comment: 'keepalive' })
    ;(await called).onProgress?.(json({ progress: 1 }))
    expect(await stream.message()).toMatchObject({ method: 'notifications/progress' })
    answer('late')
    expect(await stream.message()).toMatchObject({ id: 1, result: { content: [{ text: 'late' }] } })
    expect(await stream.message()).toBeUndefined()
  })

  it('is none for who takes JSON only', async () => {
    const front = await TestFront.listen({ streams: { keepAliveMs: 5 } })
    const { answer, called } = heldTool(front)
    const answered = front.post('/mcp', call(1, 'held', modernMeta), { accept: 'application/json', ...modern('held') })
    await called
    await new Promise((resolve) => setImmediate(resolve))
    answer('x')
    expect((await answered).json).toMatchObject({ id: 1, result: {} })
  })

  it.each([
    ['of a session', (front: TestFront) => front.session(), {}],
    ['without one', async () => ({}), {}],
    ['of a modern client', async () => modern('flood'), modernMeta],
  ])('is cut when its reader does not read: %s', async (_, headersOf, meta) => {
    const front = await TestFront.listen({ streams: { unreadBytesMax: 100_000 } })
    const headers = await headersOf(front)
    const chunk = json({ progress: 1, message: 'x'.repeat(60_000) })
    const flooded = new Promise<void>((resolve) => {
      front.hub.tool('flood', async ({ onProgress, signal }) => {
        // Some of it is taken by the system for both ends.
        for (let sent = 0; sent < 500 && !signal!.aborted; sent++) {
          onProgress?.(chunk)
          await new Promise((next) => setImmediate(next))
        }
        resolve()
        return text('the end')
      })
    })
    const socket = connect(front.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const body = JSON.stringify(call(1, 'flood', { ...meta, progressToken: 1 }))
    const all = {
      host: `127.0.0.1:${front.port}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    }
    const lines = Object.entries(all).map((pair) => pair.join(': '))
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    await flooded
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString()
    })
    socket.on('error', () => {})
    await once(socket, 'close')
    expect(received).toContain('notifications/progress')
    expect(received).not.toContain('the end')
  })
})

describe('a legacy client that lost its stream', () => {
  it('gets the rest of it, and the call goes on meanwhile', async () => {
    const front = await TestFront.listen()
    const { called, answer } = heldTool(front)
    const session = await front.session()
    const stream = await front.stream(session, call(1, 'held', { progressToken: 1 }))
    const primer = await stream.next()
    expect(primer).toEqual({ id: expect.any(String), retry: '2000' })
    const { onProgress, signal } = await called
    onProgress?.(json({ progress: 1 }))
    const first = await stream.next()
    expect(first).toMatchObject({ id: expect.any(String), data: { method: 'notifications/progress' } })
    stream.cut()
    await once(stream.response, 'close')
    onProgress?.(json({ progress: 2 }))
    const again = await front.stream({ ...session, 'last-event-id': first!.id! })
    expect(await again.message()).toMatchObject({ params: { progress: 2 } })
    answer('at last')
    expect(await again.message()).toMatchObject({ id: 1, result: { content: [{ text: 'at last' }] } })
    expect(await again.message()).toBeUndefined()
    expect(signal!.aborted).toBe(false)
    const later = await front.stream({ ...session, 'last-event-id': primer!.id! })
    expect(await later.message()).toMatchObject({ params: { progress: 1 } })
    expect(await later.message()).toMatchObject({ params: { progress: 2 } })
    expect(await later.message()).toMatchObject({ id: 1, result: {} })
    expect(await later.message()).toBeUndefined()
  })

  it('gets an answer that came while it was away', async () => {
    const front = await TestFront.listen()
    const { called, answer } = heldTool(front)
    const session = await front.session()
    const stream = await front.stream(session, call(1, 'held'))
    const primer = await stream.next()
    await called
    stream.cut()
    answer('unheard')
    const again = await front.stream({ ...session, 'last-event-id': primer!.id! })
    expect(await again.message()).toMatchObject({ id: 1, result: { content: [{ text: 'unheard' }] } })
    expect(await again.message()).toBeUndefined()
  })

  it('takes the stream over from a connection that is not known to be dead', async () => {
    const front = await TestFront.listen()
    const { answer } = heldTool(front)
    const session = await front.session()
    const stream = await front.stream(session, call(1, 'held'))
    const primer = await stream.next()
    const again = await front.stream({ ...session, 'last-event-id': primer!.id! })
    expect(await stream.next()).toBeUndefined()
    answer('x')
    expect(await again.message()).toMatchObject({ id: 1 })
  })

  it('hears what the session was told meanwhile', async () => {
    const front = await TestFront.listen()
    const session = await front.session()
    const connection = front.hub.live[0]!
    const stream = await front.stream(session)
    connection.listChanged('tools')
    const { id } = (await stream.next())!
    stream.cut()
    await once(stream.response, 'close')
    connection.listChanged('prompts')
    const again = await front.stream({ ...session, 'last-event-id': id! })
    expect(await again.message()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  })

  it('may open the stream of its session anew', async () => {
    const front = await TestFront.listen()
    const headers = { ...(await front.session()), accept: 'text/event-stream' }
    const stream = await front.stream(headers)
    stream.cut()
    // The hub hears of it a moment later; until then the stream is there already.
    for (let status = 409; status !== 200; ) {
      const sent = front.open('GET', '/mcp', headers)
      const [response] = await once(sent, 'response')
      status = response.statusCode
      expect([200, 409]).toContain(status)
      sent.destroy()
    }
  })

  it('is told when nothing is kept', async () => {
    const front = await TestFront.listen()
    const session = await front.session()
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000.1']) {
      const answer = await front.send('GET', '/mcp', { ...session, accept: 'text/event-stream', 'last-event-id': id })
      expect([answer.status, answer.json.error]).toEqual([
        400,
        { code: -32000, message: expect.stringContaining('Last-Event-ID') },
      ])
    }
  })

  it('is told when it has read all of a stream that has ended', async () => {
    const front = await TestFront.listen()
    const session = await front.session()
    const stream = await front.stream(session, call(1, 'unknown'))
    const primer = await stream.next()
    const last = await stream.next()
    expect(last).toMatchObject({ data: { id: 1, error: { code: -32602 } } })
    expect(await stream.next()).toBeUndefined()
    const from = async (id: string) =>
      front.send('GET', '/mcp', { ...session, accept: 'text/event-stream', 'last-event-id': id })
    expect(await from(last!.id!)).toMatchObject({ status: 405, headers: { allow: 'POST, DELETE' } })
    const missed = await front.stream({ ...session, 'last-event-id': primer!.id! })
    expect(await missed.message()).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  it('takes that for an answer: SDK 1 after an error', async () => {
    const front = await TestFront.listen()
    const resumed: number[] = []
    const { client, ...agent } = await connectAgent(
      'sdk 1',
      new StreamableHTTPClientTransport(front.url, {
        fetch: async (input, init) => {
          const response = await fetch(input, init)
          if (new Headers(init?.headers).has('last-event-id')) resumed.push(response.status)
          return response
        },
      }),
    )
    const problems: Error[] = []
    client.onerror = (error: Error) => problems.push(error)
    await expect(agent.callTool('unknown', {})).rejects.toMatchObject({ code: -32602 })
    await expect.poll(() => resumed, { timeout: 5_000 }).toEqual([405])
    await agent.close()
    expect(problems).toEqual([])
  })

  it('of another session has no part in it', async () => {
    const front = await TestFront.listen()
    const { answer } = heldTool(front)
    const stream = await front.stream(await front.session(), call(1, 'held'))
    const { id } = (await stream.next())!
    answer('secret')
    const other = await front.session()
    expect(
      (await front.send('GET', '/mcp', { ...other, accept: 'text/event-stream', 'last-event-id': id! })).status,
    ).toBe(400)
  })

  it('of a revision before 2025-11-25 gets no empty event, which it could not read', async () => {
    const front = await TestFront.listen()
    const { answer } = heldTool(front)
    const stream = await front.stream(await front.session('2025-06-18'), call(1, 'held'))
    answer('x')
    expect(await stream.next()).toMatchObject({ data: { id: 1 } })
  })
})

describe('requests of one legacy session', () => {
  it('must not share an id while one of them is open', async () => {
    const front = await TestFront.listen()
    const { answer, called } = heldTool(front)
    front.hub.tool('t', () => text('x'))
    const session = await front.session()
    const stream = await front.stream(session, call(1, 'held'))
    await called
    const refused = await front.post('/mcp', call(1, 't'), session)
    expect([refused.status, refused.json]).toMatchObject([400, { id: 1, error: { code: -32600 } }])
    answer('mine')
    expect(await stream.message()).toMatchObject({ result: { content: [{ text: 'mine' }] } })
    expect((await front.post('/mcp', call(1, 't'), session)).json).toMatchObject({ id: 1, result: {} })
  })

  it('keep no id in use that was refused with its request', async () => {
    const front = await TestFront.listen()
    front.hub.tool('t', () => text('x'))
    const session = await front.session()
    expect((await front.post('/mcp', call(1, 't'), { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(
      400,
    )
    expect((await front.post('/mcp', call(1, 't'), session)).json).toMatchObject({ id: 1, result: {} })
  })

  it.each(['application/json', 'application/json, text/event-stream'])(
    'end when they are cancelled, for who accepts %s',
    async (accept) => {
      const front = await TestFront.listen()
      front.hub.tool('slow', ({ signal }) => untilAborted(signal))
      const called = front.hub.next('call') as Promise<AgentCall>
      const session = await front.session()
      const answered = front.post('/mcp', call(1, 'slow'), { ...session, accept })
      const { signal } = await called
      expect((await front.post('/mcp', cancelled(1), session)).status).toBe(202)
      await untilAborted(signal)
      expect((await answered).text).toContain('cancelled')
    },
  )
})

describe('a client that leaves', () => {
  it.each([
    ['modern', modern('slow'), modernMeta, true],
    ['legacy without a session', {}, {}, true],
    ['legacy with a session', undefined, {}, false],
  ] as const)('%s: is its call cancelled?', async (_, given, meta, isCancelled) => {
    const front = await TestFront.listen()
    const headers = given ?? (await front.session())
    let answer = () => {}
    front.hub.tool('slow', ({ signal }) =>
      Promise.race([untilAborted(signal), new Promise<CallOutcome>((resolve) => (answer = () => resolve(text('x'))))]),
    )
    const called = front.hub.next('call') as Promise<AgentCall>
    const accept = 'application/json, text/event-stream'
    const all = { accept, 'content-type': 'application/json', ...headers }
    const sent = front.open('POST', '/mcp', all, JSON.stringify(call(1, 'slow', { ...meta, progressToken: 1 })))
    const begun = once(sent, 'response')
    const { signal, onProgress } = await called
    onProgress?.(json({ progress: 1 }))
    const [response] = await begun
    response.on('error', () => {})
    sent.destroy()
    await new Promise((resolve) => response.on('close', resolve))
    if (isCancelled) await untilAborted(signal)
    else await front.post('/mcp', { jsonrpc: '2.0', id: 2, method: 'ping' }, headers)
    expect(signal!.aborted).toBe(isCancelled)
    answer()
  })
})

describe('real legacy clients', () => {
  it.each(['sdk 1', 'sdk 2 legacy'] as const)(
    'come back by themselves, through a proxy that was cut: %s',
    async (kind) => {
      const proxy = await CuttingProxy.listen()
      const front = await TestFront.listen({ publicUrl: proxy.url.origin })
      proxy.target = front.port
      const { answer, called } = heldTool(front)
      const agent = await connectAgent(kind, httpTransport(kind, proxy.url))
      let hear = () => {}
      const heard = new Promise<void>((resolve) => {
        hear = resolve
      })
      const result = agent.request('tools/call', { name: 'held', arguments: {} }, { onprogress: hear })
      const { signal, onProgress } = await called
      onProgress?.(json({ progress: 1 }))
      await heard
      await proxy.cut()
      answer('in spite of all')
      expect(await result).toMatchObject({ content: [{ text: 'in spite of all' }] })
      expect(signal!.aborted).toBe(false)
      await agent.close()
    },
  )
})

/** Passes bytes on until it is told to cut every connection. */
class CuttingProxy {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  target = 0

  private constructor() {
    this.#server = createServer((client) => {
      const upstream = connect(this.target, '127.0.0.1')
      for (const socket of [client, upstream]) {
        this.#open.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => this.#open.delete(socket))
      }
      client.pipe(upstream).pipe(client)
    })
  }

  static async listen(): Promise<CuttingProxy> {
    const proxy = new CuttingProxy()
    proxy.#server.listen(0, '127.0.0.1')
    onTestFinished(async () => {
      proxy.#server.close()
      await proxy.cut()
    })
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as { port: number }).port}/mcp`)
  }

  async cut(): Promise<void> {
    await Promise.all([...this.#open].map((socket) => once(socket.destroy(), 'close')))
  }
}
