import { expect, it, onTestFinished } from 'vitest'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '../src/index.js'
import { body, head, RawWorker } from './raw-worker.js'
import { SocketAgent } from './socket-agent.js'
import { temporaryDirectory } from './temporary.js'

const log = createHubLog('silent', process.stderr)
const digger = { tools: [{ name: 'dig', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }] }

async function variables() {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  return { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: 'off' }
}

async function start(file: object = {}, environment?: Record<string, string>): Promise<RunningHub> {
  environment ??= await variables()
  const hub = await startHub({
    config: parseHubConfig({ environment, file }),
    version: '0.0.0',
    log,
    expects: [],
  })
  onTestFinished(() => hub.stop())
  return hub
}

async function diggingWorker(hub: RunningHub): Promise<RawWorker> {
  const worker = new RawWorker(hub.workerEndpoint)
  await worker.hello()
  await worker.ready({}, digger)
  await worker.next('welcome')
  return worker
}

async function startTask(agent: SocketAgent): Promise<string> {
  const { result } = await agent.ask('tools/call', { name: 'dig', task: {} })
  return (result as { task: { taskId: string } }).task.taskId
}

it('a task goes on when its agent is gone, and its result waits for the agent to come back', async () => {
  const hub = await start()
  const worker = await diggingWorker(hub)
  const first = await SocketAgent.attach(hub.mcpSocketPath)
  const taskId = await startTask(first)
  const { id } = await worker.next('request')
  first.close()
  // Longer than any news of the lost agent would take to get here.
  const second = await SocketAgent.attach(hub.mcpSocketPath)
  await worker.roundTrip()
  expect(worker.received).not.toContain('cancel')
  expect((await second.ask('tasks/get', { taskId })).result).toMatchObject({ status: 'working' })
  const result = second.ask('tasks/result', { taskId })
  await worker.respond(id)
  expect((await result).result).toMatchObject({ content: [{ text: 'raw' }] })
})

it('a task fails truthfully when its worker is killed', async () => {
  const hub = await start()
  const worker = await diggingWorker(hub)
  const agent = await SocketAgent.attach(hub.mcpSocketPath)
  const taskId = await startTask(agent)
  await worker.next('request')
  worker.close()
  const { result } = await agent.ask('tasks/result', { taskId })
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'outcome_unknown' } } })
  expect((await agent.ask('tasks/get', { taskId })).result).toMatchObject({ status: 'failed' })
})

it('a cancelled task is cancelled at its worker', async () => {
  const hub = await start()
  const worker = await diggingWorker(hub)
  const agent = await SocketAgent.attach(hub.mcpSocketPath)
  const taskId = await startTask(agent)
  const { id } = await worker.next('request')
  expect((await agent.ask('tasks/cancel', { taskId })).result).toMatchObject({ status: 'cancelled' })
  expect(await worker.next('cancel')).toMatchObject({ id })
})

it('the task of one agent does not exist for another', async () => {
  const hub = await start({ agents: { ada: {}, bob: {} } })
  const worker = await diggingWorker(hub)
  const ada = await SocketAgent.attach(hub.mcpSocketPath, { as: 'ada' })
  const bob = await SocketAgent.attach(hub.mcpSocketPath, { as: 'bob' })
  const taskId = await startTask(ada)
  await worker.next('request')
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    const { error } = await bob.ask(method, { taskId })
    expect(error).toEqual((await bob.ask(method, { taskId: 'never' })).error)
    expect(error).toMatchObject({ code: -32602 })
  }
  expect((await bob.ask('tasks/list', {})).result).toEqual({ tasks: [] })
  expect((await ada.ask('tasks/list', {})).result).toMatchObject({ tasks: [{ taskId, status: 'working' }] })
})

it('a question of the worker waits in the task, and its answer goes to the same call', async () => {
  const hub = await start()
  const worker = await diggingWorker(hub)
  const agent = await SocketAgent.attach(hub.mcpSocketPath, {}, { elicitation: {} })
  agent.onRequest('elicitation/create', () => ({ action: 'accept', content: { depth: 3 } }))
  const taskId = await startTask(agent)
  const { id } = await worker.next('request')
  const question = { method: 'elicitation/create', params: { message: 'How deep?' } }
  await worker.send(
    head({ type: 'input_required', id, timeoutMs: 60_000 }),
    body({ inputRequests: { depth: question } }),
  )
  const result = agent.ask('tasks/result', { taskId })
  const resumed = await worker.next('resume')
  expect(resumed['id']).toBe(id)
  expect(JSON.parse(resumed['text'] as string)).toEqual({
    inputResponses: { depth: { action: 'accept', content: { depth: 3 } } },
  })
  await worker.respond(id)
  expect((await result).result).toMatchObject({ content: [{ text: 'raw' }] })
})

it('a hub that was restarted knows no task of the one before', async () => {
  const environment = await variables()
  const first = await start({}, environment)
  await diggingWorker(first)
  const taskId = await startTask(await SocketAgent.attach(first.mcpSocketPath))
  await first.stop()
  const second = await start({}, environment)
  const agent = await SocketAgent.attach(second.mcpSocketPath)
  const { error } = await agent.ask('tasks/get', { taskId })
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('restart of the hub') })
})
