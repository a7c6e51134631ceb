import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { AgentCall, CallOutcome } from '../../src/port.js'
import { json, type Loose, result, text, untilAborted } from '../mcp/fake-hub.js'
import { modernMeta, TestFront } from './front.js'

const generations = ['a session', 'no session', 'modern'] as const
type Generation = (typeof generations)[number]

const both = 'application/json, text/event-stream'

/** Headers and `_meta` of a client whose first request is behind it. */
async function introduced(front: TestFront, generation: Generation, tool = 't') {
  if (generation === 'no session') return { headers: { accept: both }, meta: {} }
  if (generation === 'a session') return { headers: { ...(await front.session()), accept: both }, meta: {} }
  const headers = {
    accept: both,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'first',
  }
  await front.post('/mcp', call(0, 'first', modernMeta), headers)
  return { headers: { ...headers, 'mcp-name': tool }, meta: modernMeta }
}

const call = (id: number | string, name: string, _meta: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, _meta, ...more },
})
const cancelled = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})
/** The SDK writes an answer's members in another order. */
const isDirect = ({ text: written }: { text: string }) => /^\{"jsonrpc":"2\.0","id":[^,]+,"result":/.test(written)

const bytes = (body: Buffer | string, more: object = {}): CallOutcome => ({
  kind: 'result',
  body: Buffer.from(body),
  isError: false,
  trusted: false,
  ...more,
})
const failure = { code: 'overloaded', message: 'too much', retryable: true, retryAfterMs: 1500 } as const
const outputSchema = { type: 'object' } as const
const forgery =
  '{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"liar"},"callboard/error":1,"mine":2}}'
const deep = `{"content":[],"structuredContent":{"a":${'['.repeat(130)}${']'.repeat(130)}}}`

const outcomes: readonly [string, CallOutcome, object?][] = [
  ['a text', text('x')],
  ['no ASCII', text('Grüße, 世界 \u2028')],
  ['a structure', result({ content: [], structuredContent: { a: [1] } }), { outputSchema }],
  ['an error of its own', result({ content: [{ type: 'text', text: 'no' }], isError: true })],
  ['a failure', { kind: 'failure', failure }],
  ['a failure where there is a schema', { kind: 'failure', failure }, { outputSchema }],
  ['an error of the protocol', { kind: 'error', body: json({ code: -32042, message: 'm', data: { d: 1 } }) }],
  ['nothing known', { kind: 'unknown' }],
  ['other kinds of content', result({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] })],
  ['no content', result({ structuredContent: { a: 1 } })],
  ['a structure that is a list', result({ content: [], structuredContent: [1, 2] })],
  ['members of its own', result({ content: [], mine: { a: 1 } })],
  ['another kind of result', result({ content: [], resultType: 'input_required' })],
  ['forged marks', bytes(forgery)],
  ['forged marks of a trusted worker', bytes(forgery, { trusted: true })],
  ['forged marks of an error', bytes(forgery.replace('"content":[]', '"content":[],"isError":true'))],
  ['a line break', bytes('{"content":[],\n"isError":false}')],
  ['a second message', bytes('{"content":[]}\n{"jsonrpc":"2.0","id":1,"result":{}}')],
  ['an end before its end', bytes('{"content":[]},"id":7,"error":{}')],
  ['an end before its end, closed again', bytes('{"content":[]},"id":7,"error":{"a":{}}')],
  ['no UTF-8', bytes(Buffer.from([...Buffer.from('{"content":[],"a":"'), 0xff, ...Buffer.from('"}')]))],
  ['no JSON', bytes('{"content":')],
  ['no object', bytes('[{"content":[]}]')],
  ['nothing', bytes('')],
  ['too many levels', bytes(deep)],
  ['a member twice', bytes('{"content":[],"content":[{"type":"text","text":"2"}]}')],
  ['a wrong kind of content', result({ content: [{ type: 'text', text: 7 }] })],
]

describe('a plain call', () => {
  describe.each(generations)('of %s', (generation) => {
    it.each(outcomes)('is answered as by the SDK: %s', async (_, outcome, definition = {}) => {
      const front = await TestFront.listen()
      front.hub.tool('first', () => text('first'))
      front.hub.tool('t', () => outcome, definition)
      const { headers, meta } = await introduced(front, generation)
      const one = { ...headers, accept: 'application/json' }
      const direct = await front.post('/mcp', call(1, 't', meta), one)
      // With a member that nobody knows it is not plain any more.
      const usual = await front.post('/mcp', call(1, 't', meta, { unknown: 1 }), one)
      expect(isDirect(usual)).toBe(false)
      expect({ ...direct, text: '', json: direct.json }).toMatchObject({ status: usual.status })
      expect(direct.json).toEqual(usual.json)
      expect(direct.headers['mcp-session-id']).toEqual(usual.headers['mcp-session-id'])
      expect(direct.headers['content-type']).toBe('application/json')
    })

    it('is answered at once by JSON, also to who reads streams', async () => {
      const front = await TestFront.listen()
      front.hub.tool('first', () => text('first'))
      front.hub.tool('t', () => text('x'))
      const { headers, meta } = await introduced(front, generation)
      const answer = await front.post('/mcp', call('a"ü', 't', meta), headers)
      expect(answer.headers['content-type']).toBe('application/json')
      expect(answer.json).toMatchObject({ id: 'a"ü', result: { content: [{ text: 'x' }] } })
      expect(isDirect(answer)).toBe(true)
    })

    it('may be spelled in any way', async () => {
      const front = await TestFront.listen()
      front.hub.tool('first', () => text('first'))
      front.hub.tool('t', ({ body }) => text(JSON.parse(Buffer.from(body).toString()).arguments.a))
      const { headers, meta } = await introduced(front, generation)
      const asked = call(1, 't', meta, { arguments: { a: 'ü' } })
      const { jsonrpc, id, method, params } = asked
      for (const body of [asked, { method, params, jsonrpc, id }, { params, id, jsonrpc, method }]) {
        for (const spelled of [JSON.stringify(body), JSON.stringify(body, null, 2)]) {
          const answer = await front.post('/mcp', spelled, headers)
          expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: 'ü' }] } })
          expect(isDirect(answer)).toBe(true)
        }
      }
    })

    it('may have a large result', async () => {
      const front = await TestFront.listen()
      front.hub.tool('first', () => text('first'))
      const words = 'ü'.repeat(1_500_000)
      front.hub.tool('t', () => text(words))
      const { headers, meta } = await introduced(front, generation)
      const answer = await front.post('/mcp', call(1, 't', meta), headers)
      expect(answer.json.result.content[0].text === words).toBe(true)
      expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.text))
    })

    it('gets its stream with the first thing to tell', async () => {
      const front = await TestFront.listen()
      front.hub.tool('first', () => text('first'))
      front.hub.tool('t', async ({ onProgress, onLog }) => {
        onProgress?.(json({ progress: 1 }))
        onLog?.('error', json({ data: 'a' }))
        await new Promise((resolve) => setImmediate(resolve))
        onProgress?.(json({ progress: 2 }))
        return text('x')
      })
      const { headers, meta } = await introduced(front, generation)
      const level = generation === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {}
      const _meta = { ...meta, ...level, progressToken: 5 }
      for (let time = 1; time <= 2; time++) {
        const stream = await front.stream(headers, call(time, 't', _meta))
        expect(stream.response.headers['content-type']).toBe('text/event-stream')
        expect(await stream.message()).toMatchObject({ params: { progressToken: 5, progress: 1 } })
        expect(await stream.message()).toMatchObject({ method: 'notifications/message', params: { data: 'a' } })
        expect(await stream.message()).toMatchObject({ params: { progress: 2 } })
        expect(await stream.message()).toMatchObject({ id: time, result: { content: [{ text: 'x' }] } })
        expect(await stream.message()).toBeUndefined()
      }
      expect(front.hub.calls.filter(({ name }) => name === 't')).toHaveLength(2)
    })

    it('that takes long reaches its worker once', async () => {
      const front = await TestFront.listen({ streams: { keepAliveMs: 5 } })
      front.hub.tool('first', () => text('first'))
      const finish = front.hub.held('t')
      const { headers, meta } = await introduced(front, generation)
      const stream = await front.stream(headers, call(1, 't', meta))
      while ((await stream.next())?.comment !== 'keepalive');
      finish(text('late'))
      expect(await stream.message()).toMatchObject({ id: 1, result: { content: [{ text: 'late' }] } })
      expect(front.hub.calls.filter(({ name }) => name === 't')).toHaveLength(1)
    })

    it('that is taken for good by JSON alone gets no stream however long it takes', async () => {
      const front = await TestFront.listen({ streams: { keepAliveMs: 1 } })
      front.hub.tool('first', () => text('first'))
      front.hub.tool('t', async ({ onProgress }) => {
        onProgress?.(json({ progress: 1 }))
        await new Promise((resolve) => setTimeout(resolve, 20))
        return text('x')
      })
      const { headers, meta } = await introduced(front, generation)
      const one = { ...headers, accept: 'application/json' }
      const answer = await front.post('/mcp', call(1, 't', { ...meta, progressToken: 1 }), one)
      expect(answer.json).toMatchObject({ id: 1, result: {} })
      expect(isDirect(answer)).toBe(true)
    })
  })

  it.each([
    ['no session', 'aborted'],
    ['modern', 'aborted'],
    ['a session', 'under way'],
  ] as const)('whose client leaves: %s, %s', async (generation, becomes) => {
    const front = await TestFront.listen()
    front.hub.tool('first', () => text('first'))
    const finish = front.hub.held('t')
    const { headers, meta } = await introduced(front, generation)
    const called = front.hub.next('call') as Promise<AgentCall>
    const body = JSON.stringify(call(1, 't', meta))
    const sent = front.open('POST', '/mcp', { 'content-type': 'application/json', ...headers }, body)
    const { signal } = await called
    sent.destroy()
    if (becomes === 'aborted') return void (await untilAborted(signal))
    // Its id is in use for as long as it runs.
    expect((await front.post('/mcp', call(1, 't'), headers)).json).toMatchObject({ error: { code: -32600 } })
    expect(signal!.aborted).toBe(false)
    finish(text('unheard'))
    front.hub.tool('next', () => text('x'))
    await expect.poll(async () => (await front.post('/mcp', call(1, 'next'), headers)).status).toBe(200)
  })

  it('of a session ends when it is cancelled, also after its client has left', async () => {
    const front = await TestFront.listen()
    front.hub.tool('t', ({ signal }) => untilAborted(signal))
    const { headers } = await introduced(front, 'a session')
    for (const leaves of [false, true]) {
      const called = front.hub.next('call') as Promise<AgentCall>
      const sent = front.open(
        'POST',
        '/mcp',
        { 'content-type': 'application/json', ...headers },
        JSON.stringify(call(1, 't')),
      )
      const { signal } = await called
      if (leaves) sent.destroy()
      const answered = leaves ? undefined : once(sent, 'response')
      expect((await front.post('/mcp', cancelled(1), headers)).status).toBe(202)
      await untilAborted(signal)
      if (answered === undefined) continue
      const [response] = (await answered) as Loose
      expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json'])
      let written = ''
      for await (const chunk of response) written += chunk
      expect(JSON.parse(written)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32000, message: 'The request was cancelled' },
      })
    }
  })

  it('of a session that ends is told so', async () => {
    const front = await TestFront.listen()
    front.hub.held('t')
    const { headers } = await introduced(front, 'a session')
    const called = front.hub.next('call')
    const answered = front.post('/mcp', call(1, 't'), headers)
    await called
    expect((await front.send('DELETE', '/mcp', headers)).status).toBe(200)
    expect(await answered).toMatchObject({ status: 503, json: { id: 1, error: { code: -32603 } } })
  })

  it.each([
    ['another session', { 'mcp-session-id': 'none' }, 404],
    ['an unknown revision', { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['another method', { 'mcp-method': 'tools/list' }, 400],
    ['another tool', { 'mcp-name': 'other' }, 400],
    ['nothing that it takes', { accept: 'text/html' }, 406],
    ['streams only', { accept: 'text/event-stream' }, 406],
  ] as const)('that names %s is refused', async (_, more, status) => {
    const front = await TestFront.listen()
    front.hub.tool('first', () => text('first'))
    front.hub.tool('t', () => text('x'))
    const generation = 'mcp-method' in more || 'mcp-name' in more ? 'modern' : 'a session'
    const { headers, meta } = await introduced(front, generation)
    const before = front.hub.calls.length
    expect((await front.post('/mcp', call(1, 't', meta), { ...headers, ...more })).status).toBe(status)
    expect(front.hub.calls).toHaveLength(before)
  })

  it('of a modern client that says something else of itself is judged anew', async () => {
    const front = await TestFront.listen()
    front.hub.tool('first', () => text('first'))
    front.hub.tool('t', () => text('x'))
    const { headers } = await introduced(front, 'modern')
    const wrong = { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': 7 }
    expect(await front.post('/mcp', call(1, 't', wrong), headers)).toMatchObject({
      status: 400,
      json: { error: { code: -32602 } },
    })
    const later = { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
    expect(await front.post('/mcp', call(1, 't', later), headers)).toMatchObject({ status: 400 })
    expect(front.hub.calls).toHaveLength(1)
  })
})

describe('what a modern client says of itself', () => {
  const said = (more: object) => ({ ...modernMeta, ...more })

  it.each([
    said({ 'io.modelcontextprotocol/logLevel': 'loud' }),
    said({ 'io.modelcontextprotocol/logLevel': [[[[[[[[[]]]]]]]]] }),
    said({ 'io.modelcontextprotocol/logLevel': null }),
    said({ 'io.modelcontextprotocol/clientCapabilities': 7 }),
    said({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: null } }),
    { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
  ])('is no better known when a notification has said it: %j', async (wrong) => {
    const front = await TestFront.listen()
    front.hub.tool('t', () => text('x'))
    front.hub.tool('first', () => text('first'))
    const { headers } = await introduced(front, 'modern')
    const told = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: wrong } }
    const heard = await front.post('/mcp', told, { ...headers, 'mcp-method': told.method })
    expect(heard.status).toBe(202)
    const direct = await front.post('/mcp', call(1, 't', wrong), headers)
    const usual = await front.post('/mcp', call(1, 't', wrong, { unknown: 1 }), headers)
    expect([isDirect(direct), direct.json]).toEqual([false, usual.json])
  })
})

describe('tools/list', () => {
  const list = (_meta: object, more: object = {}) => ({
    jsonrpc: '2.0',
    id: 'ü',
    method: 'tools/list',
    params: { _meta, ...more },
  })

  it.each(generations)('is answered as by the SDK, page by page: %s', async (generation) => {
    const front = await TestFront.listen()
    front.hub.tool('first', () => text('first'), { description: 'Grüße' })
    for (let index = 0; index < 1_000; index++)
      front.hub.tools.push({ name: `t${index}`, inputSchema: { type: 'object' } })
    const { headers, meta } = await introduced(front, generation)
    delete (headers as Record<string, string>)['mcp-name']
    const asking = { ...headers, 'mcp-method': 'tools/list', accept: 'application/json' }
    let cursor: object = {}
    for (const count of [1_000, 1]) {
      const direct = await front.post('/mcp', list(meta, cursor), asking)
      const usual = await front.post('/mcp', list(meta, { ...cursor, unknown: 1 }), asking)
      expect([isDirect(direct), isDirect(usual)]).toEqual([true, false])
      expect(direct.json).toEqual(usual.json)
      expect(direct.json.result.tools).toHaveLength(count)
      expect((await front.post('/mcp', list(meta, cursor), { ...asking, accept: both })).text).toBe(direct.text)
      cursor = { cursor: direct.json.result.nextCursor }
    }
    expect((await front.post('/mcp', list(meta, { cursor: 'mine' }), asking)).json.error.code).toBe(-32602)
  })

  it('needs no call before it', async () => {
    const front = await TestFront.listen()
    front.hub.tool('first', () => text('first'))
    const asking = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const [one, other] = [
      await front.post('/mcp', list(modernMeta), asking),
      await front.post('/mcp', list(modernMeta), asking),
    ]
    expect([isDirect(one), isDirect(other)]).toEqual([false, true])
    expect(other.json).toEqual(one.json)
  })

  it.each(generations)('tells the changes: %s', async (generation) => {
    const front = await TestFront.listen()
    front.hub.tool('first', () => text('first'))
    const { headers, meta } = await introduced(front, generation)
    delete (headers as Record<string, string>)['mcp-name']
    const asking = { ...headers, 'mcp-method': 'tools/list' }
    const names = async () => {
      const { json: answer } = await front.post('/mcp', list(meta), asking)
      return answer.result.tools.map(({ name }: Loose) => name)
    }
    expect(await names()).toEqual(['first'])
    front.hub.tool('second', () => text('x'))
    expect(await names()).toEqual(['first', 'second'])
  })

  it('has schemas of other results than objects as the era has them', async () => {
    const front = await TestFront.listen()
    front.hub.tool('first', () => text('first'), { outputSchema: { type: 'array' } as never })
    const schemas: unknown[] = []
    for (const generation of ['a session', 'modern'] as const) {
      const { headers, meta } = await introduced(front, generation)
      delete (headers as Record<string, string>)['mcp-name']
      const asking = { ...headers, 'mcp-method': 'tools/list', accept: 'application/json' }
      schemas.push((await front.post('/mcp', list(meta), asking)).json.result.tools[0].outputSchema.type)
    }
    expect(schemas).toEqual(['object', 'array'])
  })
})
