import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpFront, listenHttp } from '../../../src/http/http-server.js'
import type { McpFront } from '../../../src/mcp/mcp-server.js'
import type { AgentCall, CallOutcome } from '../../../src/port.js'
import { connectAgent, httpTransport } from '../agents.js'
import { FakeHub, frontOf, identity, json, type Loose, parsed, result, text, untilAborted } from '../fake-hub.js'
import { LinePeer } from '../line-peer.js'

const tasks = 'io.modelcontextprotocol/tasks'
const execution = (taskSupport: string) => ({ execution: { taskSupport } })
const declared = { elicitation: {}, extensions: { [tasks]: {} } }

interface Stage {
  /** The whole answer to a request with these client capabilities. */
  send(method: string, params?: Loose, capabilities?: object): Promise<Loose>
  close(): Promise<void>
}

const withMeta = (params: Loose, capabilities: object) => ({
  ...params,
  _meta: {
    ...params._meta,
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  },
})

const authenticate = ({ token = 'main', session }: { token?: string; session?: { name: string } }) => ({
  ...identity,
  principal: token === 'strangers' ? 'agent:http' : `agent:${token}`,
  session: session?.name ?? '',
})

function onLines(front: McpFront): Stage {
  const peer = LinePeer.to(front)
  let id = 0
  return {
    send: async (method, params = {}, capabilities = declared) => {
      peer.write({ jsonrpc: '2.0', id: ++id, method, params: withMeta(params, capabilities) })
      return peer.read()
    },
    close: () => peer.served.close(),
  }
}

const listen = (front: McpFront) =>
  listenHttp(front, { addresses: [{ host: '127.0.0.1', port: 0 }], authenticate }) as Promise<HttpFront>
const urlOf = (http: HttpFront) => new URL(`http://127.0.0.1:${http.addresses[0]!.port}/mcp`)

function post(http: HttpFront, method: string, params: Loose, headers: Record<string, string> = {}): Promise<Response> {
  const name = params.taskId ?? params.name
  return fetch(urlOf(http), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

async function onHttp(front: McpFront): Promise<Stage> {
  const http = await listen(front)
  return {
    send: async (method, params = {}, capabilities = declared) =>
      (await post(http, method, withMeta(params, capabilities))).json(),
    close: () => http.close(),
  }
}

describe.each(Object.entries({ lines: onLines, http: onHttp }))('the tasks extension over %s', (_, connect) => {
  let hub: FakeHub
  let front: McpFront
  let stage: Stage
  let finish: (outcome: CallOutcome) => void

  beforeEach(async () => {
    hub = new FakeHub()
    finish = hub.held('dig', execution('optional'))
    front = frontOf(hub)
    stage = await connect(front)
  })
  afterEach(async () => {
    front.tasks.close()
    await stage.close()
    // Nothing may be left open in the hub.
    expect(hub.live).toEqual([])
  })

  const start = async (name = 'dig'): Promise<{ taskId: string; call: AgentCall }> => {
    const called = hub.next('call')
    const { result: created } = await stage.send('tools/call', { name })
    return { taskId: created.taskId, call: (await called) as AgentCall }
  }
  const get = async (taskId: string) => (await stage.send('tasks/get', { taskId })).result
  const acknowledged = { resultType: 'complete', _meta: expect.anything() }

  it('is announced', async () => {
    const { capabilities } = (await stage.send('server/discover')).result
    expect(capabilities.extensions).toEqual({ [tasks]: {} })
    expect(capabilities).not.toHaveProperty('tasks')
  })

  it('answers a call with a task when client and tool are made for it', async () => {
    const called = hub.next('call')
    const { result: created } = await stage.send('tools/call', { name: 'dig', arguments: { a: 1 } })
    expect(created).toMatchObject({
      resultType: 'task',
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'working',
      createdAt: expect.stringMatching(/Z$/),
      ttlMs: 7_200_000,
      pollIntervalMs: 1_000,
    })
    const call = (await called) as AgentCall
    expect(parsed(call.body)).toMatchObject({ name: 'dig', arguments: { a: 1 } })
    expect(call.client).toMatchObject({ generation: 'modern', input: ['form'], progress: true })
  })

  it('is for nobody who does not declare it', async () => {
    hub.tool('quick', () => text('gold'), execution('optional'))
    hub.tool('long', () => text('gold'), execution('required'))
    expect((await stage.send('tools/call', { name: 'quick' }, {})).result).toMatchObject({ resultType: 'complete' })
    const missing = { code: -32021, data: { requiredCapabilities: { extensions: { [tasks]: {} } } } }
    expect((await stage.send('tools/call', { name: 'long' }, {})).error).toMatchObject(missing)
    const { taskId } = await start()
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await stage.send(method, { taskId, inputResponses: {} }, {})).error).toMatchObject(missing)
    }
  })

  it('leaves tools alone that are not made for it', async () => {
    hub.tool('plain', () => text('x'))
    const { result: answered } = await stage.send('tools/call', { name: 'plain', task: {} })
    expect(answered).toMatchObject({ resultType: 'complete', content: [{ text: 'x' }] })
  })

  it('has what the call came to in tasks/get', async () => {
    const { taskId, call } = await start()
    expect(await get(taskId)).toMatchObject({ resultType: 'complete', status: 'working' })
    call.onProgress?.(json({ progress: 1, message: 'half way' }))
    expect(await get(taskId)).toMatchObject({ status: 'working', statusMessage: 'half way' })
    finish(result({ content: [], structuredContent: [1] }))
    const task = await get(taskId)
    expect(task).toMatchObject({ status: 'completed', result: { structuredContent: [1] } })
    expect(task.result).not.toHaveProperty('_meta')
  })

  it('completes with the result of a tool that failed', async () => {
    const { taskId } = await start()
    const failure = { code: 'outcome_unknown', message: 'The worker was lost.', retryable: false } as const
    finish({ kind: 'failure', failure })
    expect(await get(taskId)).toMatchObject({
      status: 'completed',
      statusMessage: 'The worker was lost.',
      result: { isError: true, structuredContent: { error: { code: 'outcome_unknown' } } },
    })
  })

  it('fails with an error of the protocol only', async () => {
    const { taskId } = await start()
    finish({ kind: 'error', body: json({ code: -32050, message: 'no shovel', data: { x: 1 } }) })
    const task = await get(taskId)
    expect(task).toMatchObject({ status: 'failed', error: { code: -32050, message: 'no shovel', data: { x: 1 } } })
    expect(task).not.toHaveProperty('result')
  })

  it('can be cancelled, as often as one likes', async () => {
    const { taskId, call } = await start()
    for (const _ of [1, 2]) expect((await stage.send('tasks/cancel', { taskId })).result).toEqual(acknowledged)
    expect(call.signal?.aborted).toBe(true)
    const task = await get(taskId)
    expect(task).toMatchObject({ status: 'cancelled' })
    expect(task).not.toHaveProperty('result')
  })

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s knows nothing of what is not there', async (method) => {
    const { error } = await stage.send(method, { taskId: 'x', inputResponses: {} })
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Task not found') })
    expect((await stage.send(method, { inputResponses: {} })).error.code).toBe(-32602)
  })

  it.each(['tasks/result', 'tasks/list'])('has no %s', async (method) => {
    expect((await stage.send(method, { taskId: 'x' })).error.code).toBe(-32601)
  })

  it('falls back to an ordinary call when there is no room, unless the tool needs a task', async () => {
    hub.tool('quick', () => text('gold'), execution('optional'))
    hub.tool('long', () => text('gold'), execution('required'))
    for (let n = 0; n < 32; n++) await start()
    expect((await stage.send('tools/call', { name: 'quick' })).result).toMatchObject({ resultType: 'complete' })
    expect((await stage.send('tools/call', { name: 'long' })).error).toMatchObject({
      code: -32603,
      data: { code: 'overloaded' },
    })
  })

  describe('with questions', () => {
    const question = { method: 'elicitation/create', params: { message: 'How deep?', requestedSchema: {} } }
    const askingBoth = json({ inputRequests: { a: question, b: question } })
    let next: (input: Loose) => CallOutcome

    beforeEach(() => {
      next = ({ inputResponses }) => text(JSON.stringify(inputResponses))
      hub.tool('ask', () => ask(), execution('optional'))
    })
    const ask = (): CallOutcome => {
      hub.suspended.set('call-1', (input) => next(input))
      return { kind: 'input_required', id: 'call-1', body: askingBoth }
    }
    const update = async (taskId: string, inputResponses: unknown) =>
      stage.send('tasks/update', { taskId, inputResponses })

    it('shows them in tasks/get and takes the answers bit by bit', async () => {
      const { taskId } = await start('ask')
      expect(await get(taskId)).toMatchObject({
        status: 'input_required',
        inputRequests: { '1.a': question, '1.b': question },
      })
      expect((await update(taskId, { '1.b': { action: 'decline' } })).result).toEqual(acknowledged)
      expect((await get(taskId)).inputRequests).toEqual({ '1.a': question })
      await update(taskId, { '1.a': { action: 'cancel' }, '1.b': { action: 'accept' }, other: {} })
      const answered = JSON.parse((await get(taskId)).result.content[0].text)
      expect(answered).toEqual({ a: { action: 'cancel' }, b: { action: 'decline' } })
    })

    it('goes on to show progress after the answers', async () => {
      next = () => {
        hub.suspended.set('call-2', (_, { signal, onProgress }) => {
          onProgress?.(json({ progress: 2, message: 'deeper' }))
          return untilAborted(signal)
        })
        return { kind: 'input_required', id: 'call-2', body: askingBoth }
      }
      const { taskId } = await start('ask')
      await update(taskId, { '1.a': {}, '1.b': {} })
      await update(taskId, { '2.a': {}, '2.b': {} })
      expect(await get(taskId)).toMatchObject({ status: 'working', statusMessage: 'deeper' })
    })

    it('never uses a key twice', async () => {
      next = () => ask()
      const { taskId } = await start('ask')
      await update(taskId, { '1.a': {}, '1.b': {} })
      expect(Object.keys((await get(taskId)).inputRequests)).toEqual(['2.a', '2.b'])
    })

    it('needs answers in an update', async () => {
      const { taskId } = await start('ask')
      expect((await stage.send('tasks/update', { taskId })).error.code).toBe(-32602)
      await update(taskId, { '1.a': 'not an object', '1.b': null })
      expect(Object.keys((await get(taskId)).inputRequests)).toEqual(['1.a', '1.b'])
    })

    it('asks nobody for what the client cannot answer', async () => {
      const { result: created } = await stage.send('tools/call', { name: 'ask' }, { extensions: { [tasks]: {} } })
      const abandoned = hub.abandoned.length > 0 ? 'call-1' : await hub.next('abandon')
      expect(abandoned).toBe('call-1')
      expect(await get(created.taskId)).toMatchObject({ result: { isError: true } })
    })

    it('is left alone by updates once it is over', async () => {
      const { taskId } = await start('ask')
      const abandoned = hub.next('abandon')
      await stage.send('tasks/cancel', { taskId })
      await abandoned
      expect((await update(taskId, { '1.a': {} })).result).toEqual(acknowledged)
      expect(await get(taskId)).toMatchObject({ status: 'cancelled' })
    })
  })
})

describe('over HTTP', () => {
  let hub: FakeHub
  let front: McpFront
  let http: HttpFront

  beforeEach(async () => {
    hub = new FakeHub()
    hub.tool('dig', ({ signal }) => untilAborted(signal), execution('optional'))
    front = frontOf(hub)
    http = await listen(front)
  })
  afterEach(async () => {
    front.tasks.close()
    await http.close()
  })

  const send = async (method: string, params: Loose, token: string, headers: Record<string, string> = {}) => {
    const answer = await post(http, method, withMeta(params, declared), {
      authorization: `Bearer ${token}`,
      ...headers,
    })
    return { status: answer.status, ...((await answer.json()) as Loose) }
  }
  const startAs = async (token: string, _meta = {}) =>
    (await send('tools/call', { name: 'dig', _meta }, token)).result.taskId as string

  it('checks that Mcp-Name is the task', async () => {
    const taskId = await startAs('main')
    const mismatch = { status: 400, error: { code: -32020 } }
    expect(await send('tasks/get', { taskId }, 'main', { 'mcp-name': 'other' })).toMatchObject(mismatch)
    expect(await send('tasks/get', { taskId }, 'main', { 'mcp-method': 'tools/call' })).toMatchObject(mismatch)
    expect(await send('tasks/get', { taskId }, 'main')).toMatchObject({ status: 200, result: { taskId } })
  })

  it('hides the tasks of one principal from every other, in the words for what was never there', async () => {
    const taskId = await startAs('main')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const theirs = await send(method, { taskId, inputResponses: {} }, 'other')
      expect(theirs).toEqual(await send(method, { taskId: 'never', inputResponses: {} }, 'other'))
      expect(theirs.error.code).toBe(-32602)
    }
    expect((await send('tasks/get', { taskId }, 'main')).result.status).toBe('working')
  })

  it('shows the tasks of a principal to all of its sessions, and those of strangers to one', async () => {
    const named = { 'callboard/session': 'one' }
    const mine = await startAs('main', named)
    expect((await send('tasks/get', { taskId: mine }, 'main')).result.status).toBe('working')
    const theirs = await startAs('strangers', named)
    expect((await send('tasks/get', { taskId: theirs, _meta: named }, 'strangers')).result.status).toBe('working')
    expect((await send('tasks/get', { taskId: theirs }, 'strangers')).error.code).toBe(-32602)
  })

  it('ends the tasks of a stranger with the legacy session that could ask for them, and no others', async () => {
    for (const token of ['strangers', 'main']) {
      const headers = { authorization: `Bearer ${token}` }
      const agent = await connectAgent('sdk 1', httpTransport('sdk 1', urlOf(http), headers))
      const called = hub.next('call')
      await agent.request('tools/call', { name: 'dig', task: {} })
      const { signal } = (await called) as AgentCall
      await agent.client.transport.terminateSession()
      expect(signal?.aborted).toBe(token === 'strangers')
      await agent.close()
    }
  })

  it('has no tasks for a legacy client that did not introduce itself', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/list' })
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' }
    const answer = (await (await fetch(urlOf(http), { method: 'POST', headers, body })).json()) as Loose
    expect(answer.error.code).toBe(-32601)
  })
})
