import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { bodyBytesMax } from '@callboard/protocol'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { text } from '../mcp/fake-hub.js'
import { modernMeta, TestFront } from './front.js'

const call = (id: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 't' },
  ...more,
})
const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } }
const answerOf = (id: unknown) => expect.objectContaining({ id, result: expect.anything() })
const faultOf = (id: unknown, message = /./) =>
  expect.objectContaining({ id, error: { code: -32600, message: expect.stringMatching(message) } })

describe('POST /mcp', () => {
  let front: TestFront
  beforeEach(async () => {
    front = await TestFront.listen()
    front.hub.tool('t', () => text('x'))
  })

  it.each(['', '{"half', 'x', '{"a":1}}'])('takes %j for no JSON', async (body) => {
    const answer = await front.post('/mcp', body)
    expect([answer.status, answer.json]).toMatchObject([400, { jsonrpc: '2.0', id: null, error: { code: -32700 } }])
  })

  it.each([
    ['null', null],
    ['7', null],
    ['"text"', null],
    ['{}', null],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 1],
    ['{"id":1,"method":"ping"}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 1],
    ['{"jsonrpc":"2.0","id":1}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":7}', 1],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":true,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 1],
  ])('takes %s for no JSON-RPC', async (body, id) => {
    for (const headers of [{}, { 'mcp-protocol-version': '2026-07-28' }]) {
      const answer = await front.post('/mcp', body, headers)
      expect([answer.status, answer.json]).toMatchObject([400, { jsonrpc: '2.0', id, error: { code: -32600 } }])
    }
  })

  it.each([1, 0, -7, 9007199254740991, 'text', '', '__proto__'])('answers under the id %j', async (id) => {
    expect((await front.post('/mcp', call(id))).json).toMatchObject({ id, result: {} })
  })

  it('leaves keys alone that mean something in JavaScript', async () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"__proto__":{"a":1},"constructor":2}}}'
    expect((await front.post('/mcp', body)).status).toBe(200)
    expect(Buffer.from(front.hub.calls[0]!.body).toString()).toContain('{"__proto__":{"a":1},"constructor":2}')
    expect(({} as { a?: unknown }).a).toBeUndefined()
  })

  it.each([
    cancelled,
    { jsonrpc: '2.0', method: 'notifications/no-such-thing' },
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 't' } },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'm' } },
  ])('accepts %j and says nothing to it', async (body) => {
    for (const headers of [{}, await front.session()]) {
      const answer = await front.post('/mcp', body, headers)
      expect([answer.status, answer.text]).toEqual([202, ''])
    }
    expect(front.hub.calls).toEqual([])
  })

  it.each(['2099-01-01', '2025-3-26', 'x'])('knows no revision %s', async (version) => {
    for (const headers of [{}, await front.session()]) {
      const answer = await front.post('/mcp', call(1), { ...headers, 'mcp-protocol-version': version })
      expect([answer.status, answer.json]).toMatchObject([
        400,
        { error: { message: expect.stringMatching(/version/i) } },
      ])
    }
  })

  it('answers a method that does not exist as its generation wants it', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'no/such' }
    const legacy = await front.post('/mcp', body)
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'no/such' }
    const modern = await front.post('/mcp', { ...body, params: { _meta: modernMeta } }, headers)
    expect([legacy.status, modern.status]).toEqual([200, 404])
    for (const { json } of [legacy, modern]) expect(json).toMatchObject({ id: 1, error: { code: -32601 } })
  })

  it('takes params as large as a worker takes them', async () => {
    const params = { name: 't', arguments: { a: '' } }
    params.arguments.a = 'x'.repeat(4 * 1024 * 1024 - JSON.stringify(params).length)
    expect((await front.post('/mcp', call(1, { params }))).json).toMatchObject({ id: 1, result: {} })
    params.arguments.a += 'x'
    expect((await front.post('/mcp', call(1, { params }))).json).toMatchObject({ id: 1, error: { code: -32602 } })
    params.arguments.a += 'x'.repeat(64 * 1024)
    expect((await front.post('/mcp', call(1, { params }))).status).toBe(413)
  })

  it('goes on with the connection after a body that was too large', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const ports = []
    for (const [body, status] of [
      ['x'.repeat(6 * 1024 * 1024), 413],
      [JSON.stringify(call(1)), 200],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
      const sent = request(front.url, { method: 'POST', headers, agent })
      sent.end(body)
      const [response] = await once(sent, 'response')
      expect(response.statusCode).toBe(status)
      ports.push(response.socket.localPort)
      await once(response.resume(), 'end')
    }
    expect(ports[0]).toBe(ports[1])
  })

  describe('a batch', () => {
    it.each([{}, { 'mcp-protocol-version': '2025-03-26' }])('is answered by one array, given %j', async (headers) => {
      const answer = await front.post('/mcp', [call(1), cancelled, call('two')], {
        accept: 'application/json, text/event-stream',
        ...headers,
      })
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('application/json')
      expect(answer.json).toHaveLength(2)
      expect(answer.json).toEqual(expect.arrayContaining([answerOf(1), answerOf('two')]))
    })

    it('is answered by an array in a session too, and if it holds one request only', async () => {
      const session = await front.session('2025-03-26')
      const answer = await front.post('/mcp', [call(1)], session)
      expect([answer.status, answer.json]).toEqual([200, [answerOf(1)]])
    })

    it('may hold something that is no message', async () => {
      const answer = await front.post('/mcp', [call(1), 7, call(1), { jsonrpc: '2.0', id: 2 }])
      expect(answer.json).toEqual([answerOf(1), faultOf(null), faultOf(1, /in use/), faultOf(2)])
      const nothing = await front.post('/mcp', [7])
      expect([nothing.status, nothing.json]).toEqual([400, [faultOf(null)]])
      const quiet = await front.post('/mcp', [cancelled, 7])
      expect([quiet.status, quiet.json]).toEqual([200, [faultOf(null)]])
    })

    it('whose answers are too large together has none of them', async () => {
      const large = 'x'.repeat(bodyBytesMax / 2)
      front.hub.tool('large', () => text(large))
      const batch = Array.from({ length: 16 }, (_, id) => call(id, { params: { name: 'large' } }))
      const answer = await front.post('/mcp', batch)
      expect([answer.status, answer.json]).toMatchObject([500, { error: { code: -32603 } }])
      expect(answer.json.error.message).toContain('ask for less')
      expect((await front.post('/mcp', batch.slice(0, 4))).json).toHaveLength(4)
    })

    it('of notifications alone needs no answer', async () => {
      const answer = await front.post('/mcp', [cancelled, cancelled])
      expect([answer.status, answer.text]).toEqual([202, ''])
    })

    it.each([
      ['is empty', []],
      ['holds more than 100 messages', Array.from({ length: 101 }, (_, id) => call(id))],
      ['opens a session', [{ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} }]],
      [
        'asks for more lists than there are',
        Array.from({ length: 9 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
      ],
    ])('is refused when it %s', async (_, body) => {
      const answer = await front.post('/mcp', body)
      expect([answer.status, answer.json]).toMatchObject([400, { id: null, error: { code: -32600 } }])
    })

    it.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'])('does not exist in %s', async (version) => {
      const batch = [call(1, { params: { name: 't', _meta: version === '2026-07-28' ? modernMeta : {} } })]
      const answer = await front.post('/mcp', batch, { 'mcp-protocol-version': version })
      expect([answer.status, answer.json]).toMatchObject([400, { id: null, error: { code: -32600 } }])
      expect(front.hub.calls).toEqual([])
    })
  })
})
