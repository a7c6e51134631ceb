import { describe, expect, it } from 'vitest'
import { type RawHeaders, type RawHttp, requestText } from '../../raw-http.js'
import { callText, type OpenHub, openHub, openSession } from './open-hub.js'

const stream = { Accept: 'application/json, text/event-stream' }
const modern = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'raw' }
const modernCall = callText(1, {
  params: {
    name: 'raw',
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})
/** What the direct way leaves to the SDK. */
const unusualCall = callText(1, { more: 1 })

const ways: readonly (readonly [name: string, line: string, headers: RawHeaders, body: string])[] = [
  ['the facade', 'POST /tools/raw', {}, '{}'],
  ['legacy', 'POST /mcp', {}, callText()],
  ['legacy, a stream', 'POST /mcp', stream, callText()],
  ['legacy, past the direct way', 'POST /mcp', {}, unusualCall],
  ['legacy, past the direct way, a stream', 'POST /mcp', stream, unusualCall],
  ['modern', 'POST /mcp', modern, modernCall],
  ['modern, a stream', 'POST /mcp', { ...modern, ...stream }, modernCall],
]

const leavings: readonly (readonly [name: string, leave: (client: RawHttp) => unknown])[] = [
  ['closes', ({ socket }) => socket.destroy()],
  ['says that no more will come', ({ socket }) => socket.end()],
  ['resets', ({ socket }) => socket.resetAndDestroy()],
  ['sends another request', (client) => client.request('GET /healthz')],
]

async function nothingIsLeft({ hub, worker, connect }: OpenHub): Promise<void> {
  await expect.poll(() => hub.snapshot()).toMatchObject({ calls: [], queued: 0 })
  worker.answerAll()
  const client = await connect()
  expect((await client.request('POST /tools/raw', {}, '{}').answer()).status).toBe(200)
}

describe.each(ways)('a client in the middle of a call: %s', (_, line, headers, body) => {
  it.each(leavings)('%s: the worker hears of it, and nothing is left', async (_, leave) => {
    const open = await openHub()
    const client = await open.connect()
    client.request(line, headers, body)
    const asked = await open.worker.next('request')
    leave(client)
    expect(await open.worker.next('cancel')).toMatchObject({ id: asked['id'] })
    expect(await client.ended()).toBe('')
    await nothingIsLeft(open)
  })
})

describe('requests in one packet', () => {
  const batch = `[${callText(1)},${callText(2)}]`

  it.each([
    ['calls', (port: number) => requestText(port, 'POST /tools/raw', {}, '{}').repeat(3)],
    [
      'a stream among them',
      (port: number) =>
        requestText(port, 'POST /mcp', stream, callText()) + requestText(port, 'POST /mcp', {}, callText()),
    ],
    ['a batch', (port: number) => requestText(port, 'POST /mcp', {}, batch) + requestText(port, 'GET /healthz')],
  ])('are not served one beside the other: %s', async (_, textFor) => {
    const open = await openHub()
    const client = await open.connect()
    client.write(textFor(open.port))
    expect(await client.ended()).toBe('')
    await nothingIsLeft(open)
  })

  it('come to nothing for the first, too, unless its answer was out', async () => {
    const { port, connect } = await openHub()
    const client = await connect()
    client.write(requestText(port, 'GET /healthz').repeat(3))
    await client.ended()
    expect(client.statuses).toEqual([200])
  })
})

describe('a client with a session that leaves', () => {
  it.each([
    ['without a stream', {}],
    ['a stream', stream],
  ])('has its call go on: %s', async (_, headers) => {
    const { hub, worker, connect } = await openHub()
    const client = await connect()
    client.request('POST /mcp', { ...(await openSession(client)), ...headers }, callText())
    const { id } = await worker.next('request')
    client.socket.resetAndDestroy()
    await worker.roundTrip()
    expect(hub.snapshot().calls).toHaveLength(1)
    await worker.respond(id)
    await expect.poll(() => hub.snapshot().calls).toEqual([])
    expect(worker.received).not.toContain('cancel')
  })

  it('has it cancelled when the session ends', async () => {
    const { hub, worker, connect } = await openHub()
    const [client, other] = [await connect(), await connect()]
    const session = await openSession(other)
    client.request('POST /mcp', session, callText())
    const { id } = await worker.next('request')
    client.socket.destroy()
    expect((await other.request('DELETE /mcp', session).answer()).status).toBe(200)
    expect(await worker.next('cancel')).toMatchObject({ id })
    await expect.poll(() => hub.snapshot()).toMatchObject({ calls: [], connections: 0, sessions: 0 })
  })
})

it('a client that leaves while its call waits for a worker is waited for by nobody', async () => {
  const open = await openHub()
  const { hub, worker, connect } = open
  const busy = await Promise.all(Array.from({ length: 65 }, connect))
  for (const client of busy) client.request('POST /tools/raw', {}, '{}')
  await expect.poll(() => hub.snapshot().queued).toBe(1)
  for (const client of busy) client.socket.destroy()
  for (let index = 0; index < 64; index++) await worker.respond((await worker.next('cancel'))['id'])
  await nothingIsLeft(open)
})
