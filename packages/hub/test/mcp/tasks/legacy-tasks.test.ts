import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpFront, listenHttp } from '../../../src/http/http-server.js'
import type { McpFront } from '../../../src/mcp/mcp-server.js'
import { waitersPerTaskMax } from '../../../src/mcp/tasks/limits.js'
import type { AgentCall, CallOutcome } from '../../../src/port.js'
import { connectAgent, httpTransport, type TestAgent } from '../agents.js'
import { FakeHub, frontOf, identity, json, type Loose, parsed, result, text } from '../fake-hub.js'
import { agentOnLines, LinePeer } from '../line-peer.js'

const execution = (taskSupport: string) => ({ execution: { taskSupport } })
const relatedTask = 'io.modelcontextprotocol/related-task'

interface Stage {
  connect(front: McpFront): Promise<TestAgent>
  close(): Promise<void>
}

const ways: Record<string, () => Stage> = {
  lines: () => ({ connect: (front) => agentOnLines(front, 'sdk 1'), close: async () => {} }),
  http: () => {
    let http: HttpFront
    return {
      connect: async (front) => {
        const addresses = [{ host: '127.0.0.1', port: 0 }]
        const authenticate = ({ session }: { session?: { name: string } }) => ({
          ...identity,
          session: session?.name ?? '',
        })
        http ??= await listenHttp(front, { addresses, authenticate })
        return connectAgent('sdk 1', httpTransport('sdk 1', new URL(`http://127.0.0.1:${http.addresses[0]!.port}/mcp`)))
      },
      close: () => http.close(),
    }
  },
}

describe.each(Object.entries(ways))('tasks of 2025-11-25 over %s', (_, makeStage) => {
  let hub: FakeHub
  let front: McpFront
  let stage: Stage
  let agent: TestAgent
  let finish: (outcome: CallOutcome) => void

  beforeEach(async () => {
    hub = new FakeHub()
    finish = hub.held('dig', execution('optional'))
    front = frontOf(hub)
    stage = makeStage()
    agent = await stage.connect(front)
  })
  afterEach(async () => {
    front.tasks.close()
    await agent.close()
    await stage.close()
    // Nothing may be left open in the hub.
    expect(hub.live).toEqual([])
  })

  const start = async (params: object = {}): Promise<{ taskId: string; call: AgentCall }> => {
    const called = hub.next('call')
    const { task } = await agent.request('tools/call', { name: 'dig', task: {}, ...params })
    return { taskId: task.taskId, call: (await called) as AgentCall }
  }
  const get = (taskId: string) => agent.request('tasks/get', { taskId })
  const tasks = () => agent.client.experimental.tasks

  it('runs through the client of the SDK from call to result', async () => {
    hub.tool('quick', () => text('gold'), execution('required'))
    const { tools } = await agent.client.listTools()
    expect(tools.map((tool: Loose) => tool.execution?.taskSupport)).toEqual(['optional', 'required'])
    const messages: Loose[] = []
    for await (const message of tasks().callToolStream({ name: 'quick', arguments: {} }, CallToolResultSchema)) {
      messages.push(message)
    }
    expect(messages.map(({ type }) => type)).toEqual(['taskCreated', 'taskStatus', 'result'])
    expect(messages[2].result.content).toEqual([{ type: 'text', text: 'gold' }])
  })

  it('answers at once with a task, while the worker gets an ordinary call', async () => {
    const called = hub.next('call')
    const created = await agent.request('tools/call', { name: 'dig', arguments: { a: 1 }, task: { ttl: 90_000 } })
    expect(created.task).toEqual({
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'working',
      createdAt: expect.stringMatching(/Z$/),
      lastUpdatedAt: created.task.createdAt,
      ttl: 90_000,
      pollInterval: 1_000,
    })
    expect(parsed(((await called) as AgentCall).body)).toEqual({ name: 'dig', arguments: { a: 1 } })
    expect(await get(created.task.taskId)).toMatchObject({ status: 'working' })
  })

  it('gives the result to whoever waits for it and to whoever comes later', async () => {
    const { taskId } = await start()
    const waiting = agent.request('tasks/result', { taskId })
    finish(result({ content: [], _meta: { own: 1 } }))
    const expected = { content: [], _meta: { own: 1, [relatedTask]: { taskId } } }
    expect(await waiting).toEqual(expected)
    expect(await agent.request('tasks/result', { taskId })).toEqual(expected)
    const task = await get(taskId)
    expect(task).toMatchObject({ status: 'completed' })
    expect(task).not.toHaveProperty('pollInterval')
  })

  it('lives on when its agent is gone, and is there when it comes back', async () => {
    const { taskId, call } = await start()
    const waiting = agent.request('tasks/result', { taskId }).catch(() => 'gone')
    await agent.close()
    expect(await waiting).toBe('gone')
    expect(call.signal?.aborted).toBe(false)
    expect(hub.live).not.toEqual([])
    agent = await stage.connect(front)
    finish(text('late'))
    expect(await agent.request('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'late' }] })
  })

  it('is a failure when the tool says so, with its own result', async () => {
    const { taskId } = await start()
    finish({ kind: 'result', body: json({ content: [], isError: true }), isError: true, trusted: false })
    expect(await agent.request('tasks/result', { taskId })).toMatchObject({ isError: true })
    expect(await get(taskId)).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('error') })
  })

  it('is a failure when the worker answers with an error, which is passed on', async () => {
    const { taskId } = await start()
    finish({ kind: 'error', body: json({ code: -32050, message: 'no shovel', data: { x: 1 } }) })
    await expect(agent.request('tasks/result', { taskId })).rejects.toMatchObject({ code: -32050, data: { x: 1 } })
    expect(await get(taskId)).toMatchObject({ status: 'failed', statusMessage: 'no shovel' })
  })

  it('is a failure when the hub has no answer, and says why', async () => {
    const { taskId } = await start()
    const failure = { code: 'outcome_unknown', message: 'The worker was lost.', retryable: false } as const
    finish({ kind: 'failure', failure })
    const failed = await agent.request('tasks/result', { taskId })
    expect(failed).toMatchObject({ isError: true, structuredContent: { error: { code: 'outcome_unknown' } } })
    expect(await get(taskId)).toMatchObject({ status: 'failed', statusMessage: 'The worker was lost.' })
  })

  it('can be cancelled once, and then its call ends', async () => {
    const { taskId, call } = await start()
    const waiting = agent.request('tasks/result', { taskId })
    expect(await tasks().cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' })
    expect(call.signal?.aborted).toBe(true)
    expect(await waiting).toMatchObject({ structuredContent: { error: { code: 'cancelled' } } })
    await expect(tasks().cancelTask(taskId)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('already cancelled'),
    })
  })

  it('is listed page by page, the oldest first', async () => {
    const ids = [(await start()).taskId, (await start()).taskId]
    expect((await tasks().listTasks()).tasks.map((task: Loose) => task.taskId)).toEqual(ids)
    await expect(agent.request('tasks/list', { cursor: 'forged' })).rejects.toMatchObject({ code: -32602 })
    await expect(agent.request('tasks/list', { cursor: 1 })).rejects.toMatchObject({ code: -32602 })
  })

  it('tells who asked for it of its status, progress and log', async () => {
    const { taskId, call } = await start({ _meta: { progressToken: 'p' } })
    call.onProgress?.(json({ progress: 1, message: 'half way' }))
    call.onLog?.('info', json({ data: 'x' }))
    const _meta = { [relatedTask]: { taskId } }
    expect(await agent.notified('notifications/message')).toEqual({ level: 'info', data: 'x', _meta })
    expect(await get(taskId)).toMatchObject({ statusMessage: 'half way' })
    finish(text('done'))
    expect(await agent.notified('notifications/tasks/status')).toMatchObject({ taskId, status: 'completed' })
  })

  it('keeps the progress token alive until it is over', async () => {
    const heard: Loose[] = []
    const called = hub.next('call')
    const onprogress = (progress: Loose) => heard.push(progress)
    const { task } = await agent.request('tools/call', { name: 'dig', task: {} }, { onprogress })
    ;((await called) as AgentCall).onProgress?.(json({ progress: 1 }))
    const waiting = agent.request('tasks/result', { taskId: task.taskId })
    await get(task.taskId)
    finish(text('done'))
    await waiting
    expect(heard).toEqual([{ progress: 1, _meta: { [relatedTask]: { taskId: task.taskId } } }])
  })

  describe('with a question', () => {
    const requestedSchema = {
      type: 'object',
      properties: { depth: { type: 'number' }, round: { type: 'number' } },
    }
    const question = { method: 'elicitation/create', params: { message: 'How deep?', requestedSchema } }
    let asked: (input: Loose) => CallOutcome

    beforeEach(() => {
      asked = ({ inputResponses }) => text(JSON.stringify(inputResponses))
      hub.tool('ask', () => ask('call-1'), execution('optional'))
    })
    const ask = (id: string): CallOutcome => {
      hub.suspended.set(id, (input) => asked(input))
      return { kind: 'input_required', id, body: json({ inputRequests: { depth: question } }) }
    }
    const startAsking = async (): Promise<string> => {
      const { task } = await agent.request('tools/call', { name: 'ask', task: {} })
      expect(await agent.notified('notifications/tasks/status')).toMatchObject({ status: 'input_required' })
      return task.taskId
    }

    it('waits, and asks on the stream of tasks/result', async () => {
      agent.onAsked('elicitation/create', () => ({ action: 'accept', content: { depth: 3 } }))
      const taskId = await startAsking()
      expect(await get(taskId)).toMatchObject({ status: 'input_required' })
      const answered = await agent.request('tasks/result', { taskId })
      expect(JSON.parse(answered.content[0].text)).toEqual({ depth: { action: 'accept', content: { depth: 3 } } })
    })

    it('names the task in what it asks', async () => {
      let params: Loose
      agent.onAsked('elicitation/create', (given) => {
        params = given
        return { action: 'decline' }
      })
      const taskId = await startAsking()
      await agent.request('tasks/result', { taskId })
      expect(params).toMatchObject({ message: 'How deep?', _meta: { [relatedTask]: { taskId } } })
    })

    it('asks as often as the worker does', async () => {
      let round = 0
      agent.onAsked('elicitation/create', () => ({ action: 'accept', content: { round: ++round } }))
      asked = () => {
        asked = ({ inputResponses }) => text(JSON.stringify(inputResponses))
        return ask('call-1')
      }
      const taskId = await startAsking()
      const answered = await agent.request('tasks/result', { taskId })
      expect(JSON.parse(answered.content[0].text)).toEqual({ depth: { action: 'accept', content: { round: 2 } } })
    })

    it('asks the client that came back when the one before has gone', async () => {
      agent.onAsked('elicitation/create', () => new Promise(() => {}) as Loose)
      const taskId = await startAsking()
      const waiting = agent.request('tasks/result', { taskId }).catch(() => 'gone')
      await get(taskId)
      await agent.close()
      await waiting
      agent = await stage.connect(front)
      agent.onAsked('elicitation/create', () => ({ action: 'accept' }))
      const answered = await agent.request('tasks/result', { taskId })
      expect(JSON.parse(answered.content[0].text)).toEqual({ depth: { action: 'accept' } })
    })

    it('ends when the client refuses to ask', async () => {
      agent.onAsked('elicitation/create', () => {
        throw new Error('not now')
      })
      const taskId = await startAsking()
      const failed = await agent.request('tasks/result', { taskId })
      expect(failed.structuredContent.error).toMatchObject({ code: 'cancelled' })
      expect(hub.abandoned).toEqual(['call-1'])
      expect(await get(taskId)).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('not now') })
    })

    it('is withdrawn when the task is cancelled', async () => {
      const taskId = await startAsking()
      const abandoned = hub.next('abandon')
      await agent.request('tasks/cancel', { taskId })
      expect(await abandoned).toBe('call-1')
    })
  })

  describe('is refused', () => {
    it('for a tool that is not made for it', async () => {
      hub.tool('plain', () => text(''))
      hub.tool('never', () => text(''), execution('forbidden'))
      for (const name of ['plain', 'never']) {
        await expect(agent.request('tools/call', { name, task: {} })).rejects.toMatchObject({ code: -32601 })
      }
      expect(hub.calls).toEqual([])
    })

    it('for a tool that does not exist, in the words for that', async () => {
      await expect(agent.request('tools/call', { name: 'dug', task: {} })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('Unknown tool: dug. Did you mean dig?'),
      })
    })

    it.each([null, 'soon', { ttl: -1 }, { ttl: 'x' }, { ttl: null }])('with task: %j', async (task) => {
      await expect(agent.request('tools/call', { name: 'dig', task })).rejects.toMatchObject({ code: -32602 })
    })

    it('when there are too many', async () => {
      for (let n = 0; n < 32; n++) await start()
      await expect(agent.request('tools/call', { name: 'dig', task: {} })).rejects.toMatchObject({
        code: -32603,
        data: { code: 'overloaded', retryable: true },
      })
    })
  })

  it('is demanded by a tool that needs it', async () => {
    hub.tool('long', () => text(''), execution('required'))
    await expect(agent.request('tools/call', { name: 'long' })).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('params.task'),
    })
    expect(hub.calls).toEqual([])
  })

  it('lets only so many wait for the same result, the latest of them', async () => {
    const { taskId } = await start()
    const ask = () => agent.request('tasks/result', { taskId })
    const first = ask()
    const others = Array.from({ length: waitersPerTaskMax }, ask)
    await expect(first).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('this one was the first'),
    })
    finish(text('x'))
    await Promise.all(others)
  })

  it.each(['tasks/get', 'tasks/result', 'tasks/cancel'])('%s knows nothing of what is not there', async (method) => {
    const error = { code: -32602, message: expect.stringContaining('Task not found') }
    await expect(agent.request(method, { taskId: 'x' })).rejects.toMatchObject(error)
    await expect(agent.request(method, {})).rejects.toMatchObject({ code: -32602 })
  })
})

describe('older revisions', () => {
  it.each(['2025-06-18', '2025-03-26', '2024-11-05'])('%s has no tasks', async (revision) => {
    const hub = new FakeHub()
    hub.tool('dig', () => text('gold'), execution('required'))
    const peer = LinePeer.to(frontOf(hub))
    const { result: initialized } = await peer.initialize(revision)
    expect(initialized.capabilities).not.toHaveProperty('tasks')
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'dig', task: {} } })
    expect((await peer.read()).result.content).toEqual([{ type: 'text', text: 'gold' }])
    peer.write({ jsonrpc: '2.0', id: 2, method: 'tasks/list' })
    expect((await peer.read()).error.code).toBe(-32601)
    await peer.served.close()
  })
})
