import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { CallOutcome, Identity } from '../../src/port.js'
import { json, parsed, result, text, untilAborted } from '../mcp/fake-hub.js'
import { TestFront } from './front.js'

const json4MiB = 4 * 1024 * 1024
const asJson = { 'content-type': 'application/json' }

describe('GET /', () => {
  it('says what this is, and how the workers are, with or without any', async () => {
    const { hub, ...front } = await listening()
    const info = {
      name: 'callboard',
      version: '1.2.3',
      mcp_endpoint: 'POST /mcp',
      tools_endpoint: 'GET /tools',
    }
    expect((await front.send('GET', '/')).json).toEqual({ ...info, workers: {} })
    hub.services = [
      { service: 'qda', state: 'away' },
      { service: 'raw', state: 'ready' },
    ]
    const answer = await front.send('GET', '/?x=1')
    expect([answer.status, answer.json]).toEqual([200, { ...info, workers: { qda: 'away', raw: 'ready' } }])
  })
})

describe('the hint of GET /', () => {
  it('says why nothing is there for a caller without a token, and only then', async () => {
    const nobody = { session: 'http', principal: 'agent:http', roles: ['agent'], services: ['qda'] } as const
    const front = await TestFront.listen({
      authenticate: ({ token }) => (token === undefined ? nobody : { ...nobody, services: undefined }) as Identity,
    })
    expect((await front.send('GET', '/')).json.hint).toMatch(
      /^without a token .*http\.open exist \(qda: none signed in\)/,
    )
    expect((await front.send('GET', '/', { authorization: 'Bearer good' })).json).not.toHaveProperty('hint')
    front.hub.services = [{ service: 'qda', state: 'away' }]
    expect((await front.send('GET', '/')).json).not.toHaveProperty('hint')
  })
})

describe('GET /tools', () => {
  it('lists what a contract speaks of, under the names of the contract', async () => {
    const { hub, send } = await listening()
    const inputSchema = { type: 'object' as const, properties: { a: {} } }
    hub.tool('qda_list_codes', () => text(''), { description: 'd', inputSchema, annotations: { readOnlyHint: true } })
    hub.tool('one_same', () => text(''), { _meta: { x: 1 }, title: 't' })
    hub.tool('two_same', () => text(''))
    hub.tool('three_qda_own', () => text(''))
    hub.tool('qda_own', () => text(''))
    for (const [listed, own] of [
      ['qda_list_codes', 'list_codes'],
      ['one_same', 'same'],
      ['two_same', 'same'],
      ['three_qda_own', 'qda_own'],
      ['qda_own', 'own'],
    ] as const) {
      hub.ownNames.set(listed, own)
    }
    const { tools } = (await send('GET', '/tools')).json
    expect(tools[0]).toEqual({ name: 'list_codes', description: 'd', inputSchema, annotations: { readOnlyHint: true } })
    expect(tools[1]).toEqual({ name: 'one_same', inputSchema: { type: 'object' } })
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'list_codes',
      'one_same',
      'two_same',
      'three_qda_own',
      'own',
    ])
  })

  it('is of all tools, also for who is shown a search instead in MCP', async () => {
    const view = { filters: [], mode: 'search', searchAboveTokens: 0, pinned: [] } as const
    const identity = { session: 's', principal: 'agent:http', roles: ['agent'], view } as const
    const { hub, send } = await listening({ authenticate: () => identity })
    hub.tool('t', () => text(''))
    expect((await send('GET', '/tools')).json).toMatchObject({ tools: [{ name: 't' }] })
    expect(hub.live[0]!.identity).toEqual({ ...identity, view: { ...view, mode: 'all' } })
  })

  it('waits until the catalogue is known', async () => {
    const { hub, send } = await listening()
    let know = () => {}
    hub.known = new Promise((resolve) => {
      know = resolve
    })
    const opened = hub.next('open')
    const listed = send('GET', '/tools')
    await opened
    hub.tool('late', () => text(''))
    know()
    expect((await listed).json.tools).toHaveLength(1)
  })
})

describe('POST /tools/{name}', () => {
  it.each([
    ['structured content', { structuredContent: { success: true, n: 1 }, content: [] }, { success: true, n: 1 }],
    ['JSON text', { content: [{ type: 'text', text: '{"success":true,"n":2}' }] }, { success: true, n: 2 }],
    [
      'a failure of the contract',
      { structuredContent: { success: false, error_code: 'NO_PROJECT' }, isError: true, content: [] },
      { success: false, error_code: 'NO_PROJECT' },
    ],
    [
      'a failure as JSON text',
      { content: [{ type: 'text', text: '{"success":false,"error":"e"}' }], isError: true },
      { success: false, error: 'e' },
    ],
    [
      'text',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { success: true, data: 'a\nb' },
    ],
    ['nothing', { content: [] }, { success: true, data: '' }],
    ['a list', { structuredContent: [1], content: [] }, { success: true, data: [1] }],
    [
      'an image',
      { content: [{ type: 'image', data: '', mimeType: 'image/png' }] },
      { success: true, data: [{ type: 'image', data: '', mimeType: 'image/png' }] },
    ],
    [
      'a failure in words',
      { content: [{ type: 'text', text: 'no' }], isError: true },
      { success: false, error: 'no', error_code: 'TOOL_FAILED' },
    ],
    [
      'a failure in silence',
      { content: [], isError: true },
      { success: false, error: 'The tool failed and did not say why', error_code: 'TOOL_FAILED' },
    ],
    [
      "a worker's own failure",
      {
        structuredContent: { error: { code: 'not_found', message: 'm', retryable: false } },
        content: [],
        isError: true,
      },
      { success: false, error: 'm', error_code: 'NOT_FOUND', details: { retryable: false } },
    ],
    [
      'that failure as JSON text',
      { content: [{ type: 'text', text: '{"code":"not_found","message":"m","retryable":false}' }], isError: true },
      { success: false, error: 'm', error_code: 'NOT_FOUND', details: { retryable: false } },
    ],
    [
      'a failure with other content',
      { structuredContent: { reason: 1 }, content: [{ type: 'text', text: 'no' }], isError: true },
      { success: false, error: 'no', error_code: 'TOOL_FAILED', details: { reason: 1 } },
    ],
  ])('answers %s with one object', async (_, value, expected) => {
    const { hub, post } = await listening()
    hub.tool('t', () => result(value))
    const answer = await post('/tools/t', { arguments: {} })
    expect([answer.status, answer.json]).toEqual([200, expected])
  })

  it('tells the error that a worker answers with instead of a result', async () => {
    const { hub, post } = await listening()
    hub.tool('t', () => ({ kind: 'error', body: json({ code: -32602, message: 'bad', data: { x: 1 } }) }))
    const answer = await post('/tools/t', {})
    expect([answer.status, answer.json]).toEqual([
      200,
      { success: false, error: 'bad', error_code: 'TOOL_FAILED', details: { code: -32602, data: { x: 1 } } },
    ])
  })

  it.each([
    ['unavailable', 503, 'WORKER_UNAVAILABLE'],
    ['overloaded', 503, 'WORKER_UNAVAILABLE'],
    ['outcome_unknown', 503, 'WORKER_UNAVAILABLE'],
    ['deadlock', 503, 'WORKER_UNAVAILABLE'],
    ['rate_limited', 429, 'RATE_LIMITED'],
    ['deadline_exceeded', 504, 'WORKER_UNAVAILABLE'],
    ['request_too_large', 413, 'BODY_TOO_LARGE'],
    ['result_too_large', 500, 'RESULT_TOO_LARGE'],
    ['forbidden', 403, 'FORBIDDEN'],
  ] as const)('answers %s with %i %s', async (code, status, error_code) => {
    const { hub, post } = await listening()
    hub.tool('t', () => ({ kind: 'failure', failure: { code, message: 'm', retryable: true, retryAfterMs: 1500 } }))
    const answer = await post('/tools/t', {})
    expect([answer.status, answer.headers['retry-after'], answer.json]).toEqual([
      status,
      '2',
      { success: false, error: 'm', error_code, details: { code, retryable: true, retryAfterMs: 1500 } },
    ])
  })

  it('passes on the arguments as they are, and an idempotency key', async () => {
    const { hub, post } = await listening()
    hub.tool('t', () => text(''))
    const given = '{"arguments":{"a":[1,{"__proto__":{"x":1}}],"n":null},"other":1}'
    await post('/tools/t', given, { 'idempotency-key': 'k-1' })
    await post('/tools/t', '')
    await post('/tools/t', '{}')
    expect(hub.calls[0]).toMatchObject({
      idempotencyKey: 'k-1',
      client: { generation: 'legacy', input: [], progress: false },
    })
    expect(Buffer.from(hub.calls[0]!.body).toString()).toBe(
      '{"name":"t","arguments":{"a":[1,{"__proto__":{"x":1}}],"n":null},"_meta":{"callboard/idempotencyKey":"k-1"}}',
    )
    expect(hub.calls.slice(1).map(({ body }) => parsed(body))).toEqual(Array(2).fill({ name: 't', arguments: {} }))
    expect(hub.calls[1]!.idempotencyKey).toBeUndefined()
  })

  it('refuses an idempotency key that is too long', async () => {
    const { hub, post } = await listening()
    hub.tool('t', () => text(''))
    const answer = await post('/tools/t', {}, { 'idempotency-key': 'k'.repeat(257) })
    expect([answer.status, answer.json.error_code]).toEqual([400, 'INVALID_REQUEST'])
  })

  it.each([
    ['{"half', 'INVALID_JSON', /^Invalid JSON: /],
    ['\xff\xfe', 'INVALID_JSON', /^Invalid JSON: /],
    ['[]', 'INVALID_REQUEST', /must be an object/],
    ['null', 'INVALID_REQUEST', /must be an object/],
    ['{"path":"/x"}', 'INVALID_REQUEST', /only path/],
    ['{"arguments":[]}', 'INVALID_REQUEST', /"arguments" must be an object/],
    ['{"arguments":null}', 'INVALID_REQUEST', /"arguments" must be an object/],
    [`{"arguments":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`, 'INVALID_REQUEST', /deeper than 128/],
  ])('refuses the body %j', async (body, code, message) => {
    const { hub, send } = await listening()
    hub.tool('t', () => text(''))
    const answer = await send('POST', '/tools/t', asJson, Buffer.from(body, 'latin1'))
    expect([answer.status, answer.json]).toEqual([
      400,
      { success: false, error: expect.stringMatching(message), error_code: code },
    ])
    expect(hub.calls).toEqual([])
  })

  it('knows no unknown tool, and helps with the name', async () => {
    const { hub, post } = await listening()
    hub.tool('list_codes', () => text(''))
    expect((await post('/tools/list_code', {})).json).toEqual({
      success: false,
      error: 'Unknown tool: list_code',
      error_code: 'TOOL_NOT_FOUND',
      suggestions: ['Did you mean list_codes?'],
    })
    const far = await post('/tools/f%C3%BCr%2F%00', {})
    expect([far.status, far.json]).toEqual([
      404,
      { success: false, error: 'Unknown tool: für/\0', error_code: 'TOOL_NOT_FOUND' },
    ])
    for (const path of ['/tools/', '/tools/a/b', '/tools/%zz', '/toolsx']) {
      expect((await post(path, {})).json.error_code).toBe('NOT_FOUND')
    }
  })

  it('calls a tool by its own name where agents see a prefix', async () => {
    const { hub, post } = await listening()
    hub.tool('qda_list_codes', () => text('x'))
    hub.ownNames.set('qda_list_codes', 'list_codes')
    expect((await post('/tools/list_codes', {})).json).toEqual({ success: true, data: 'x' })
    expect(hub.calls.map(({ name }) => name)).toEqual(['qda_list_codes'])
  })

  it('takes arguments up to the bound and no further', async () => {
    const { hub, post } = await listening()
    hub.tool('t', () => text(''))
    const sized = (bytes: number) => `{"arguments":{"a":"${'x'.repeat(bytes - '{"arguments":{"a":""}}'.length)}"}}`
    expect((await post('/tools/t', sized(json4MiB - 100))).status).toBe(200)
    for (const body of [sized(json4MiB), sized(json4MiB + 1)]) {
      const answer = await post('/tools/t', body)
      expect([answer.status, answer.json.error_code]).toEqual([413, 'BODY_TOO_LARGE'])
    }
    expect(hub.calls).toHaveLength(1)
  })

  it('cancels the call when the client leaves', async () => {
    const { hub, open } = await listening()
    hub.tool('slow', ({ signal }) => untilAborted(signal))
    const called = hub.next('call')
    const sent = open('POST', '/tools/slow', asJson, '{}')
    const { signal } = (await called) as { signal: AbortSignal }
    sent.destroy()
    await untilAborted(signal)
    expect(signal.aborted).toBe(true)
  })

  it('gives up a call that asks for input', async () => {
    const { hub, post } = await listening()
    hub.tool('asks', (): CallOutcome => ({ kind: 'input_required', id: 'call-1' as never, body: json({}) }))
    const answer = await post('/tools/asks', {})
    expect([answer.status, answer.json.error_code]).toEqual([200, 'INPUT_UNSUPPORTED'])
    expect(hub.abandoned).toEqual(['call-1'])
  })

  it('names the links of a failure, so that a result that was too large can be read', async () => {
    const { hub, post } = await listening()
    const error = { code: 'result_too_large', message: 'Read it', retryable: false }
    const link = { uri: 'callboard-result://w/k/i/0', name: 'structuredContent', mimeType: 'application/json', size: 9 }
    const content = [
      { type: 'text', text: JSON.stringify(error) },
      { type: 'resource_link', ...link, _meta: { x: 1 } },
    ]
    hub.tool('t', () => result({ content, isError: true }))
    const answer = await post('/tools/t', {})
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        success: false,
        error: 'Read it',
        error_code: 'RESULT_TOO_LARGE',
        details: { links: [link], retryable: false },
      },
    ])
    hub.tool('t', () => result({ content: [{ type: 'text', text: 'no' }, content[1]], isError: true }))
    expect((await post('/tools/t', {})).json).toMatchObject({ error_code: 'TOOL_FAILED', details: { links: [link] } })
  })

  it('shares the session of its principal with requests to /mcp that name none', async () => {
    const { hub, post } = await listening()
    hub.tool('t', () => text(''))
    await post('/tools/t', {})
    await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't' } })
    await post('/tools/t', {}, { authorization: 'Bearer good' })
    expect(hub.connections.map(({ identity }) => identity.principal)).toEqual(['agent:http', 'agent:good'])
  })
})

describe('every route', () => {
  const wrongHost = { host: 'evil.example' }
  const wrongToken = { authorization: 'Bearer bad' }

  it('is checked in this order: Host, Origin, token, path, method, media type, size, JSON', async () => {
    const { hub, port, send } = await listening()
    hub.tool('t', () => text(''))
    const bad = { 'content-type': 'text/plain', 'content-length': String(json4MiB + 1) }
    const host = `127.0.0.1:${port}`
    const codeOf = async (method: string, path: string, headers: Record<string, string>) =>
      (await send(method, path, { host, ...headers })).json.error_code
    const origin = 'http://evil.example'
    expect(await codeOf('GET', '/nothing', { ...bad, ...wrongToken, ...wrongHost, origin })).toBe('HOST_NOT_ALLOWED')
    expect(await codeOf('GET', '/nothing', { ...bad, ...wrongToken, origin })).toBe('ORIGIN_NOT_ALLOWED')
    expect(await codeOf('GET', '/nothing', { ...wrongToken })).toBe('UNAUTHORIZED')
    expect(await codeOf('GET', '/nothing', {})).toBe('NOT_FOUND')
    expect(await codeOf('PUT', '/tools/t', bad)).toBe('METHOD_NOT_ALLOWED')
    expect(await codeOf('POST', '/tools/t', bad)).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(await codeOf('POST', '/tools/t', { ...bad, ...asJson })).toBe('BODY_TOO_LARGE')
  })

  it.each([
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/tools', 'GET, HEAD'],
    ['GET', '/tools/t', 'POST'],
    ['HEAD', '/tools/t', 'POST'],
    ['OPTIONS', '/tools/t', 'POST'],
    ['PATCH', '/mcp', 'GET, POST, DELETE'],
    ['OPTIONS', '/mcp', 'GET, POST, DELETE'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/readyz', 'GET, HEAD'],
  ])('%s %s is not allowed, and what is gets told', async (method, path, allow) => {
    const { send } = await listening()
    const answer = await send(method, path)
    expect([answer.status, answer.headers.allow]).toEqual([405, allow])
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each(['/', '/tools', '/healthz', '/readyz'])('answers HEAD %s without a body', async (path) => {
    const { send } = await listening()
    const answer = await send('HEAD', path)
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, '', 'application/json'])
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(0)
  })

  it('answers in the shape of the facade, but /mcp in that of JSON-RPC', async () => {
    const { send } = await listening()
    expect((await send('GET', '/', wrongHost)).json).toEqual({
      success: false,
      error: expect.any(String),
      error_code: 'HOST_NOT_ALLOWED',
    })
    expect((await send('POST', '/mcp', wrongHost)).json).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: expect.any(String) },
    })
  })

  it('is refused to a client that names no host', async () => {
    const { port } = await listening()
    for (const version of ['1.0', '1.1']) {
      const socket = connect(port, '127.0.0.1')
      socket.end(`GET / HTTP/${version}\r\nConnection: close\r\n\r\n`)
      let answer = ''
      for await (const chunk of socket) answer += chunk
      expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*HOST_NOT_ALLOWED/)
    }
  })

  it('is asked for a large body only when the request is right', async () => {
    const { hub, begin } = await listening()
    hub.tool('t', () => text(''))
    const expecting = { ...asJson, expect: '100-continue' }
    for (const [path, headers, status] of [
      ['/tools/t', { ...expecting, ...wrongToken }, 401],
      ['/tools/t', { ...expecting, 'content-length': String(json4MiB + 1) }, 413],
      ['/mcp', { ...expecting, 'content-length': String(2 * json4MiB) }, 413],
    ] as const) {
      const sent = begin('POST', path, headers)
      const [response] = await once(sent, 'response')
      expect(response.statusCode).toBe(status)
      sent.destroy()
    }
    const sent = begin('POST', '/tools/t', { ...expecting, 'content-length': '2' })
    const response = once(sent, 'response')
    await once(sent, 'continue')
    sent.end('{}')
    expect((await response)[0].statusCode).toBe(200)
  })
})

describe('GET /readyz', () => {
  it('says why not', async () => {
    let reasons = ['catalogue_unknown']
    const { send } = await listening({ obstacles: () => reasons })
    const waiting = await send('GET', '/readyz', { authorization: 'Bearer bad' })
    expect([waiting.status, waiting.json]).toEqual([503, { status: 'not_ready', reasons }])
    reasons = []
    const ready = await send('GET', '/readyz')
    expect([ready.status, ready.json]).toEqual([200, { status: 'ready' }])
  })
})

async function listening(options: Parameters<typeof TestFront.listen>[0] = {}) {
  const front = await TestFront.listen(options)
  return {
    hub: front.hub,
    port: front.port,
    send: front.send.bind(front),
    post: front.post.bind(front),
    open: front.open.bind(front),
    begin: front.begin.bind(front),
  }
}
