import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHubLog, type HubOptions, parseHubConfig, type RunningHub, startHub } from '../src/index.js'
import { EventReader, read } from './http/front.js'
import { RawWorker } from './raw-worker.js'
import { temporaryDirectory } from './temporary.js'

const log = createHubLog('silent', process.stderr)
const token = 'the token of the researcher'

interface Started {
  readonly hub: RunningHub
  send(method: string, path: string, headers?: Record<string, string>, body?: unknown): Promise<IncomingMessage>
  json(method: string, path: string, headers?: Record<string, string>, body?: unknown): Promise<unknown>
  open(): Promise<Record<string, string>>
}

async function start(file: object = {}, options: Partial<HubOptions> = {}, variables = {}): Promise<Started> {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  const directories = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data }
  const environment = { ...directories, CALLBOARD_HTTP: '127.0.0.1:0', ...variables }
  const config = parseHubConfig({ file, environment })
  const hub = await startHub({ config, version: '0.0.0', log, expects: [], ...options })
  onTestFinished(() => hub.stop())
  const { port } = hub.httpAddresses[0]!
  const send: Started['send'] = async (method, path, headers = {}, body) => {
    const all = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
    const sent = request({ host: '127.0.0.1', port, method, path, headers: all, agent: false })
    sent.end(JSON.stringify(body))
    const [response] = await once(sent, 'response')
    return response
  }
  const json: Started['json'] = async (...asked) => (await read(await send(...asked))).json
  const open = async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'p', version: '1' } }
    const initialized = await send('POST', '/mcp', {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    initialized.resume()
    const session = { 'mcp-session-id': String(initialized.headers['mcp-session-id']) }
    const told = await send('POST', '/mcp', session, { jsonrpc: '2.0', method: 'notifications/initialized' })
    told.resume()
    return session
  }
  return { hub, send, json, open }
}

const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })

describe('without a token', () => {
  const agents = { researcher: { token } }
  const bearer = { authorization: `Bearer ${token}` }
  const listed = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

  it.each([
    [undefined, { workers: {}, status: 404 }],
    [['raw'], { workers: { raw: 'ready' }, status: 200 }],
    [['*'], { workers: { raw: 'ready' }, status: 200 }],
  ])('only the services of http.open %j exist', async (open, { workers, status }) => {
    const { hub, send, json } = await start({ agents, http: { ...(open && { open }) } })
    const worker = await new RawWorker(hub.workerEndpoint).signIn()
    worker.answerAll()
    const names = status === 200 ? [expect.objectContaining({ name: 'raw' })] : []
    expect(await json('GET', '/')).toMatchObject({ workers })
    expect(await json('GET', '/tools')).toEqual({ tools: names })
    expect(await json('POST', '/mcp', {}, listed)).toMatchObject({ result: { tools: names } })
    expect((await send('POST', '/tools/raw', {}, {})).statusCode).toBe(status)
    expect(await json('POST', '/mcp', {}, call('raw'))).toMatchObject(
      status === 200
        ? { result: {} }
        : { error: { code: -32602, message: 'Unknown tool: raw', data: { error_code: 'TOOL_NOT_FOUND' } } },
    )
    expect(await json('GET', '/', bearer)).toMatchObject({ workers: { raw: 'ready' } })
    expect(await json('POST', '/tools/raw', bearer, {})).toEqual({ success: true, data: 'raw' })
  })

  it.each([
    ['http.open is empty', { open: [] }, {}],
    ['CALLBOARD_HTTP_OPEN is none', { open: ['qda'] }, { CALLBOARD_HTTP_OPEN: 'none' }],
  ])('nobody gets in where %s', async (_, http, variables) => {
    const { hub, send } = await start({ agents, http }, {}, variables)
    await new RawWorker(hub.workerEndpoint, 'none').signIn()
    expect((await send('POST', '/tools/none', {}, {})).statusCode).toBe(401)
    for (const path of ['/', '/tools', '/mcp']) {
      const refused = await send(path === '/mcp' ? 'POST' : 'GET', path, {}, path === '/mcp' ? listed : undefined)
      expect([path, refused.statusCode, refused.headers['www-authenticate']]).toEqual([path, 401, 'Bearer'])
    }
    expect((await send('GET', '/', bearer)).statusCode).toBe(200)
  })

  it('nothing exists that a wrong token asks for', async () => {
    const { send } = await start({ agents })
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/tools'],
      ['POST', '/tools/raw'],
      ['POST', '/mcp'],
      ['GET', '/nothing'],
    ] as const) {
      expect((await send(method, path, { authorization: 'Bearer nonsense' })).statusCode).toBe(401)
    }
    expect((await send('GET', '/healthz', { authorization: 'Bearer nonsense' })).statusCode).toBe(200)
  })
})

describe('the facade of a real hub', () => {
  const open = { http: { open: ['*'] } }

  it('has the names of the contracts, also where agents see prefixes', async () => {
    const { hub, json } = await start({ ...open, namespace: 'always' })
    for (const service of ['one', 'two']) {
      const worker = new RawWorker(hub.workerEndpoint, service)
      await worker.hello()
      await worker.ready({}, { tools: [service, 'same'].map((name) => ({ name, inputSchema: { type: 'object' } })) })
      await worker.next('welcome')
      worker.answerAll()
    }
    const { tools } = (await json('GET', '/tools')) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['one', 'one_same', 'two', 'two_same'])
    expect(await json('POST', '/tools/two', {}, {})).toEqual({ success: true, data: 'two' })
    expect(await json('POST', '/tools/two_same', {}, {})).toEqual({ success: true, data: 'two' })
  })

  it('hands over the idempotency key, and cancels when the client leaves', async () => {
    const { hub } = await start(open)
    const worker = await new RawWorker(hub.workerEndpoint).signIn()
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'once' }
    const sent = request({ ...hub.httpAddresses[0], method: 'POST', path: '/tools/raw', headers })
    sent.on('error', () => {})
    sent.end('{"arguments":{"a":1}}')
    const asked = await worker.next('request')
    expect(asked).toMatchObject({ idempotencyKey: 'once', caller: { principal: 'agent:http' } })
    expect(JSON.parse(asked['text'] as string)).toMatchObject({ name: 'raw', arguments: { a: 1 } })
    sent.destroy()
    expect(await worker.next('cancel')).toMatchObject({ id: asked['id'] })
  })

  it('says that a worker is away, and lists its tools all the same', async () => {
    const { hub, json } = await start(open)
    const worker = await new RawWorker(hub.workerEndpoint).signIn()
    expect(await json('GET', '/')).toMatchObject({ workers: { raw: 'ready' } })
    worker.close()
    while (hub.snapshot().workers.length > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await json('GET', '/')).toMatchObject({ workers: { raw: 'away' } })
    expect(await json('GET', '/tools')).toMatchObject({ tools: [{ name: 'raw' }] })
  })

  it('refuses a tool alone whose header marks nobody could follow', async () => {
    const { hub, json } = await start(open)
    const worker = new RawWorker(hub.workerEndpoint)
    await worker.hello()
    const marked = (name: string) => ({ type: 'object', properties: { a: { type: 'string', 'x-mcp-header': name } } })
    const tools = [
      { name: 'bad', inputSchema: marked('no header') },
      { name: 'good', inputSchema: marked('Region') },
    ]
    await worker.ready({}, { tools })
    expect(JSON.parse((await worker.next('welcome'))['text'] as string)).toMatchObject({
      refused: [{ name: 'bad', code: 'invalid', message: expect.stringContaining('x-mcp-header') }],
    })
    expect(await json('GET', '/tools')).toMatchObject({ tools: [{ name: 'good' }] })
  })
})

describe('a legacy session at a real hub', () => {
  const open = { http: { open: ['*'] }, agents: { researcher: { token } } }

  it('hears of changes, lives until it is ended, and its worker hears of that', async () => {
    const { hub, send, open: openSession } = await start(open)
    const session = await openSession()
    const stream = new EventReader(await send('GET', '/mcp', { ...session, accept: 'text/event-stream' }))
    const worker = await new RawWorker(hub.workerEndpoint).signIn()
    expect(await stream.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
    const answered = send('POST', '/mcp', session, call('raw'))
    const asked = await worker.next('request')
    await worker.respond(asked['id'])
    expect((await read(await answered)).json).toMatchObject({ result: {} })
    const other = { ...session, authorization: `Bearer ${token}` }
    for (const method of ['GET', 'POST', 'DELETE']) {
      const refused = await read(await send(method, '/mcp', other, method === 'POST' ? call('raw') : undefined))
      expect([refused.status, refused.json]).toMatchObject([404, { error: { code: -32001 } }])
    }
    expect((await send('DELETE', '/mcp', session)).statusCode).toBe(200)
    expect(await worker.next('session_closed')).toMatchObject({
      session: (asked['caller'] as { session: string }).session,
    })
    expect(await stream.message()).toBeUndefined()
    expect((await send('POST', '/mcp', session, call('raw'))).statusCode).toBe(404)
  })

  it('that is unknown is not found', async () => {
    const { send } = await start(open)
    const unknown = { 'mcp-session-id': 'never-opened' }
    const refused = await read(await send('POST', '/mcp', unknown, call('raw')))
    expect([refused.status, refused.json]).toMatchObject([404, { id: null, error: { code: -32001 } }])
  })
})

describe('GET /readyz of a real hub', () => {
  it('waits for the workers that come along', async () => {
    const { hub, send, json } = await start({}, { expects: ['raw'] })
    expect(await json('GET', '/readyz')).toEqual({ status: 'not_ready', reasons: ['catalogue_unknown'] })
    expect((await send('GET', '/healthz')).statusCode).toBe(200)
    await new RawWorker(hub.workerEndpoint).signIn()
    expect(await json('GET', '/readyz')).toEqual({ status: 'ready' })
  })
})

describe('a hub that is told to stop', () => {
  it('answers what it has, lets nobody new in, and ends its connections', async () => {
    const { hub, open } = await start({ http: { open: ['*'] } })
    const worker = await new RawWorker(hub.workerEndpoint).signIn()
    const session = await open()
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const [address] = hub.httpAddresses
    const send = async (method: string, path: string, headers: object, body?: unknown): Promise<IncomingMessage> => {
      const sent = request({
        ...address,
        method,
        path,
        agent,
        headers: { 'content-type': 'application/json', ...headers },
      })
      sent.end(JSON.stringify(body))
      return (await once(sent, 'response'))[0]
    }
    const stream = new EventReader(await send('GET', '/mcp', { ...session, accept: 'text/event-stream' }))
    const calls = [
      send('POST', '/tools/raw', {}, {}),
      send('POST', '/mcp', session, call('raw')),
      send(
        'POST',
        '/mcp',
        { 'mcp-session-id': session['mcp-session-id']!, accept: 'text/event-stream, application/json' },
        { ...call('raw'), id: 2 },
      ),
    ]
    const ids = []
    for (const _ of calls) ids.push((await worker.next('request'))['id'])
    const stopped = hub.stop()
    await worker.next('drain')
    await expect(send('GET', '/', { connection: 'close' })).rejects.toThrow('ECONNREFUSED')
    for (const id of ids) await worker.respond(id)
    const answers = await Promise.all(calls)
    const texts = await Promise.all(answers.map(async (answer) => (await read(answer)).text))
    for (const text of texts) expect(text).toContain('raw')
    expect(answers.slice(0, 2).map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
    await stopped
    while ((await stream.message()) !== undefined);
  })
})
