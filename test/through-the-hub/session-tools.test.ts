import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '@callboard/hub'
import { defineWorker, type RunningWorker, type SessionTool, sessionTool, type Worker } from '@callboard/worker'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { changeTokens, newToken } from '../../packages/hub/src/token-file.js'
import { HttpAgent } from '../../packages/hub/test/http-agent.js'
import { SocketAgent } from '../../packages/hub/test/socket-agent.js'

/** A worker whose sessions each select a site, through a real hub, real sockets and the clients of both generations. [CB-26] [CB-28] */

const nothing = { input: z.object({}), description: 'x' }

function siteTool(site: string): SessionTool {
  const spec = { description: `Files a bug at ${site}`, input: z.object({ [`${site}_field`]: z.string().optional() }) }
  return sessionTool('file_bug', spec, (_, { caller }) => `filed at ${site} for ${caller.principal}`)
}

function board(): Worker {
  const worker = defineWorker({ service: 'board', version: '1.0.0', affinity: 'session' })
  for (const site of ['north', 'south']) {
    const tools = [siteTool(site)]
    worker.tool(`select_${site}`, nothing, (_, { caller }) => {
      worker.setView(caller.session, { show: { tools: ['post'] }, tools })
      return site
    })
  }
  return worker
    .tool('leave', nothing, (_, { caller }) => {
      worker.setView(caller.session, {})
      return 'left'
    })
    .tool('post', { ...nothing, listed: false }, () => 'posted')
}

const shared = ['select_north', 'select_south', 'leave']
const selected = [...shared, 'post', 'file_bug']

interface Installation {
  readonly hub: RunningHub
  readonly url: string
  /** The worker that has been there from the beginning. */
  readonly first: RunningWorker
  start(): Promise<RunningWorker>
  token(name: string): Promise<string>
}

async function install(): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'callboard-'))
  const data = join(directory, 'data')
  const environment = { CALLBOARD_RUNTIME: join(directory, 'run'), CALLBOARD_DATA: data, CALLBOARD_HTTP: '127.0.0.1:0' }
  const config = parseHubConfig({ environment, file: { agents: { seeker: { catalogue: { mode: 'search' } } } } })
  const hub = await startHub({ config, version: '1.2.3', log: createHubLog('silent', process.stderr), expects: [] })
  onTestFinished(async () => {
    await hub.stop()
    await rm(directory, { recursive: true })
  })
  const start = async () => {
    const worker = await board().start({ endpoint: hub.workerEndpoint, logLevel: 'silent' })
    onTestFinished(() => worker.stop())
    return worker
  }
  const first = await start()
  return {
    hub,
    first,
    url: `http://127.0.0.1:${hub.httpAddresses[0]!.port}`,
    start,
    async token(name) {
      const { token, ...own } = newToken([])
      const record = { ...own, name, roles: ['agent' as const], createdAt: Date.now() }
      await changeTokens(data, (tokens) => [...tokens, record])
      return token
    },
  }
}

it('two legacy sessions of one agent: each sees the tools of its site, and calls them', async () => {
  const { hub, token } = await install()
  const [ada, bob] = [await token('ada'), await token('bob')]
  const enter = (each: string) => SocketAgent.attach(hub.mcpSocketPath, { token: each })
  const [desk, phone, other] = [await enter(ada), await enter(ada), await enter(bob)]
  await desk.call('select_north')
  expect(await desk.tools()).toEqual(selected)
  expect(await phone.tools()).toEqual(shared)
  await phone.call('select_south')
  const schemas = await Promise.all(
    [desk, phone].map(async (agent) => {
      const { result } = await agent.ask('tools/list', {})
      const tools = result?.['tools'] as { name: string; inputSchema: { properties: object } }[]
      return Object.keys(tools.find(({ name }) => name === 'file_bug')!.inputSchema.properties)
    }),
  )
  expect(schemas).toEqual([['north_field'], ['south_field']])
  expect([await desk.call('file_bug'), await phone.call('file_bug')]).toEqual([
    'filed at north for agent:ada',
    'filed at south for agent:ada',
  ])
  expect(await other.tools()).toEqual(shared)
  expect(await other.call('file_bug')).toContain('Unknown tool')
  expect(await other.call('post')).toBe('posted')
  await desk.call('leave')
  expect(await desk.tools()).toEqual(shared)
})

it('two modern principals: one sees what any session of it has selected, the other does not', async () => {
  const { url, hub, token } = await install()
  const [adaToken, bobToken] = [await token('ada'), await token('bob')]
  const [ada, bob] = [HttpAgent.modern(`${url}/mcp`, adaToken), HttpAgent.modern(`${url}/mcp`, bobToken)]
  expect(await ada.tools()).toEqual(shared)
  const desk = await SocketAgent.attach(hub.mcpSocketPath, { token: adaToken })
  await desk.call('select_north')
  expect([await ada.tools(), await bob.tools()]).toEqual([selected, shared])
  expect((await bob.call('file_bug')).body.error?.message).toContain('Unknown tool')
  await ada.call('select_south')
  expect((await ada.call('file_bug')).body.result).toMatchObject({
    content: [{ text: 'filed at south for agent:ada' }],
  })
  expect(await desk.call('file_bug')).toBe('filed at north for agent:ada')
})

it('the HTTP facade and tools by search have them too', async () => {
  const { url, hub, token } = await install()
  const headers = { authorization: `Bearer ${await token('ada')}`, 'content-type': 'application/json' }
  const post = async (name: string) =>
    (await fetch(`${url}/tools/${name}`, { method: 'POST', headers, body: '{}' })).json()
  await post('select_north')
  const listed = (await (await fetch(`${url}/tools`, { headers })).json()) as { tools: { name: string }[] }
  expect(listed.tools.map(({ name }) => name)).toEqual(selected)
  expect(JSON.stringify(await post('file_bug'))).toContain('filed at north')

  const seeker = await SocketAgent.attach(hub.mcpSocketPath, { token: await token('seeker') })
  const search = async (query: string) => {
    const { result } = await seeker.ask('tools/call', { name: 'search_tools', arguments: { query } })
    return JSON.stringify(result)
  }
  expect(await search('bug')).not.toContain('north_field')
  await seeker.call('select_north')
  expect(await search('bug')).toContain('north_field')
  const through = { name: 'call_tool', arguments: { name: 'file_bug', arguments: {} } }
  expect(JSON.stringify((await seeker.ask('tools/call', through)).result)).toContain('filed at north')
})

it('what a session had selected ends when another instance of the worker takes over', async () => {
  const { hub, first, start, token } = await install()
  const agent = await SocketAgent.attach(hub.mcpSocketPath, { token: await token('ada') })
  await agent.call('select_north')
  await first.stop()
  expect(await agent.tools()).toEqual(selected)
  await start()
  expect(await agent.tools()).toEqual(shared)
  expect(await agent.call('file_bug')).toContain('Unknown tool')
})
