import { readdir, readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import {
  createHubLog,
  type HubOptions,
  parseHubConfig,
  type RunningHub,
  StartError,
  secretFiles,
  startHub,
} from '../src/index.js'
import { RawWorker } from './raw-worker.js'
import { SocketAgent } from './socket-agent.js'
import { temporaryDirectory } from './temporary.js'

const log = createHubLog('silent', process.stderr)

async function environment(http = 'off') {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  return { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: http }
}

async function start(variables: Record<string, string>, options: Partial<HubOptions> = {}): Promise<RunningHub> {
  const config = parseHubConfig({ environment: variables })
  const hub = await startHub({ config, version: '0.0.0', log, expects: [], ...options })
  onTestFinished(() => hub.stop())
  return hub
}

/** As one that was started by whoever waits for it, who comes as soon as it listens. */
async function startAwaited(come: (mcpSocket: string, data: string) => void): Promise<RunningHub> {
  const variables = await environment('127.0.0.1:0')
  const { http, ...config } = parseHubConfig({ environment: variables })
  if (http === 'off') throw new Error('HTTP was asked for')
  // The next turn of the loop comes when it listens.
  const opening = () => void setImmediate(come, `${variables.CALLBOARD_RUNTIME}/mcp.sock`, variables.CALLBOARD_DATA)
  return start({}, { config: { ...config, http: { ...http, required: false } }, isAwaited: true, opening })
}

it('a hub that has stopped leaves its directory to the next', async () => {
  const variables = await environment()
  const first = await start(variables)
  await Promise.all([first.stop(), first.stop()])
  expect(await first.ended).toBe('stopped')
  expect(await readdir(variables.CALLBOARD_RUNTIME)).toEqual(['hub.lock'])
  await start(variables)
})

it('a second hub in the same directory does not start, and does the first no harm', async () => {
  const variables = await environment()
  const first = await start(variables)
  await expect(start(variables)).rejects.toThrow(StartError)
  const worker = await new RawWorker(first.workerEndpoint).signIn()
  expect(first.snapshot().workers).toMatchObject([{ instance: worker.instance }])
  await SocketAgent.attach(first.mcpSocketPath)
})

it('a hub that is told to use a taken port does not start, and leaves nothing behind', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const variables = await environment(`127.0.0.1:${port}`)
  await expect(start(variables)).rejects.toThrow(/CALLBOARD_HTTP/)
  await start({ ...variables, CALLBOARD_HTTP: 'off' })
})

it('a hub that somebody waits for has its agents first, and HTTP after them', async () => {
  const order: string[] = []
  const answered = async (path: string) => {
    await SocketAgent.attach(path)
    order.push('answered')
  }
  const hub = await startAwaited((path) => void answered(path))
  order.push('started')
  expect(order).toEqual(['answered', 'started'])
  expect(hub.httpAddresses).toHaveLength(1)
})

it('a hub that may not open its door does not start, and leaves nothing behind', async () => {
  const variables = await environment()
  const opening = () => {
    throw new Error('not here')
  }
  await expect(start(variables, { opening })).rejects.toThrow('not here')
  await start(variables)
})

it('a hub that is ended by the first who comes ends, although it has not started yet', async () => {
  const hub = await startAwaited(async (path, data) => {
    const token = (await readFile(secretFiles(data).operator, 'utf8')).trim()
    const operator = connect(path)
    onTestFinished(() => void operator.destroy())
    operator.write(`${JSON.stringify({ callboard: 1, control: { token, command: 'down' } })}\n`)
  })
  expect(await hub.ended).toBe('down')
  for (const { port } of hub.httpAddresses) {
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  }
})

it('the first list waits for the workers that come along', async () => {
  const hub = await start(await environment(), { expects: ['raw'] })
  const agent = await SocketAgent.attach(hub.mcpSocketPath)
  const listed = agent.tools()
  await new RawWorker(hub.workerEndpoint, 'other').signIn()
  await new RawWorker(hub.workerEndpoint, 'raw').signIn()
  expect(await listed).toEqual(['other', 'raw'])
})

it('an agent is told in a few sentences what a hub is', async () => {
  const hub = await start(await environment())
  const agent = await SocketAgent.introduce(hub.mcpSocketPath)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { result } = await agent.ask('initialize', params)
  expect(result?.['instructions']).toMatch(/several independent workers.*retryable.*resources\/read.*search_tools/)
  // Every client pays for it, in the context of each of its sessions.
  expect(String(result?.['instructions']).length).toBeLessThanOrEqual(600)
})

it('an agent gets into its context what the configuration gives and its client wants', async () => {
  const config = parseHubConfig({
    environment: await environment('127.0.0.1:0'),
    file: { catalogue: { tools: { except: ['wave'] } } },
  })
  const hub = await start({}, { config })
  for (const name of ['greet', 'post', 'wave']) {
    await new RawWorker(hub.workerEndpoint, name).signIn()
  }
  const attach = async (wish?: object) => (await SocketAgent.attach(hub.mcpSocketPath, wish)).tools()
  expect(await attach()).toEqual(['greet', 'post'])
  expect(await attach({ tools: 'w*,p*' })).toEqual(['post'])
  expect(await attach({ mode: 'search' })).toEqual(['search_tools', 'call_tool'])
})

it('calls that run when the hub is stopped get an answer', async () => {
  const hub = await start(await environment())
  const worker = await new RawWorker(hub.workerEndpoint).signIn()
  const agent = await SocketAgent.attach(hub.mcpSocketPath)
  const called = agent.call('raw')
  const { id } = await worker.next('request')
  const stopped = hub.stop()
  expect(await worker.next('drain')).toMatchObject({ acknowledged: false })
  await worker.respond(id)
  expect(await called).toBe('raw')
  await stopped
})

it('calls that are open when a hub has waited long enough to stop get an answer, also those that have not begun', async () => {
  const hub = await start(await environment())
  const worker = await new RawWorker(hub.workerEndpoint).signIn()
  const agent = await SocketAgent.attach(hub.mcpSocketPath)
  const nothing = agent.closed.then(() => 'nothing')
  // More than the worker takes at once; and one that goes another way within the hub.
  const calls = Array.from({ length: 6 }, () => agent.call('raw'))
  const asked = agent.ask('tools/call', { name: 'raw', arguments: {}, unknown: 1 })
  const answers = Promise.all([...calls, asked].map((answer) => Promise.race([answer, nothing])))
  await worker.next('request')
  await hub.stop()
  const codes = await answers
  expect(codes).not.toContain('nothing')
  expect(codes).toHaveLength(7)
})
