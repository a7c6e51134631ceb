import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { StreamableHTTPClientTransport as HttpOfSdk2 } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport as HttpOfSdk1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AgentKind, connectAgent, httpTransport, type TestAgent } from '../../hub/test/mcp/agents.js'
import { freePort, Installation } from './support/installation.js'

const witness = fileURLToPath(new URL('hub-killed-worker.mjs', import.meta.url))
const legacyKinds = ['sdk 1', 'sdk 2 legacy'] as const

/** A worker, and a hub in front of it that is killed and comes back where it was. */
class Stage {
  readonly installation: Installation
  readonly url: URL
  #hub: ChildProcess | undefined

  private constructor(port: number) {
    this.url = new URL(`http://127.0.0.1:${port}/mcp`)
    this.installation = new Installation({ CALLBOARD_HTTP: `127.0.0.1:${port}`, CALLBOARD_HTTP_OPEN: '*' })
  }

  static async open(): Promise<Stage> {
    const stage = new Stage(await freePort())
    await stage.restart()
    await stage.installation.worker(witness)
    return stage
  }

  async kill(): Promise<void> {
    const ended = once(this.#hub!, 'exit')
    this.#hub!.kill('SIGKILL')
    await ended
  }

  async restart(): Promise<void> {
    this.#hub = await this.installation.hub()
  }
}

/** As a program has it, save that the clients of old never give their streams up: how long a start takes is not the matter. */
async function connect(kind: AgentKind, url: URL): Promise<TestAgent> {
  const reconnectionOptions = {
    initialReconnectionDelay: 100,
    maxReconnectionDelay: 100,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 1_000,
  }
  const Transport = kind === 'sdk 1' ? HttpOfSdk1 : HttpOfSdk2
  const agent = await connectAgent(kind, new Transport(url, { reconnectionOptions }))
  onTestFinished(() => agent.close())
  return agent
}

const whoami = async (agent: TestAgent) => JSON.stringify((await agent.callTool('whoami')).structuredContent)

/** A call that the worker has begun and will not end. */
async function begin(agent: TestAgent): Promise<{ readonly waiting: Promise<unknown> }> {
  let begun = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const waiting = agent.request('tools/call', { name: 'wait', arguments: {} }, { onprogress: begun })
  waiting.catch(() => {})
  await hasBegun
  return { waiting }
}

describe('when the hub was killed and is back', () => {
  it.each(['sdk 1', 'sdk 2 legacy', 'sdk 2 modern'] as const)(
    'the same client object calls on, in the same session, without another connect(): %s',
    async (kind) => {
      const stage = await Stage.open()
      const agent = await connectAgent(kind, httpTransport(kind, stage.url))
      onTestFinished(() => agent.close())
      const before = await whoami(agent)
      await Promise.all(Array.from({ length: 8 }, () => callOn(agent)))
      await begin(agent)
      await stage.kill()
      await stage.restart()
      expect(await whoami(agent)).toBe(before)
      expect((await agent.client.listTools()).tools).toHaveLength(4)
    },
  )

  it.each(legacyKinds)('a call that was under way ends with an error, and soon: %s', async (kind) => {
    const stage = await Stage.open()
    const agent = await connect(kind, stage.url)
    const { waiting } = await begin(agent)
    await stage.kill()
    await stage.restart()
    await expect(waiting).rejects.toMatchObject({ code: -32000, data: { code: 'outcome_unknown', retryable: false } })
  })

  it('a call that was under way ends with an error, and at once: sdk 2 modern', async () => {
    const stage = await Stage.open()
    const agent = await connect('sdk 2 modern', stage.url)
    const waiting = agent.callTool('wait')
    waiting.catch(() => {})
    await agent.callTool('begun')
    await stage.kill()
    await expect(waiting).rejects.toThrow('fetch failed')
  })

  it.each(legacyKinds)(
    'the stream of the session is there again, and says that lists may have changed: %s',
    async (kind) => {
      const stage = await Stage.open()
      const agent = await connect(kind, stage.url)
      // Then there has been an event to come back with.
      await stage.installation.worker(fileURLToPath(new URL('support/tool-worker.mjs', import.meta.url)), ['another'])
      await agent.notified('notifications/tools/list_changed')
      await stage.kill()
      await stage.restart()
      for (const list of ['tools', 'resources', 'prompts']) await agent.notified(`notifications/${list}/list_changed`)
    },
  )

  it.each(legacyKinds)('a client can be asked, as it said at the beginning: %s', async (kind) => {
    const stage = await Stage.open()
    const agent = await connect(kind, stage.url)
    agent.onAsked('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }))
    await stage.kill()
    await stage.restart()
    expect((await agent.callTool('ask')).structuredContent).toMatchObject({ answer: { content: { name: 'Ada' } } })
  })

  it('a modern subscription has ended, and its client opens another', async () => {
    const stage = await Stage.open()
    const agent = await connect('sdk 2 modern', stage.url)
    const subscription = (await agent.listen()) as Awaited<ReturnType<TestAgent['listen']>> & {
      closed: Promise<string>
    }
    await stage.kill()
    expect(await subscription.closed).toBe('remote')
    await stage.restart()
    await agent.listen()
    await stage.installation.worker(fileURLToPath(new URL('support/tool-worker.mjs', import.meta.url)), ['another'])
    await agent.notified('notifications/tools/list_changed')
  })

  it('an id opens its session for its own token alone', async () => {
    const stage = await Stage.open()
    const [ada, bob] = await Promise.all(['ada', 'bob'].map((name) => newToken(stage, name)))
    const session = await initialize(stage.url, ada!)
    expect(await whoamiAs(session, ada)).toMatchObject({ principal: 'agent:ada' })
    await stage.kill()
    await stage.restart()
    const id = session.id
    for (const other of [bob, undefined]) expect(await statusOf(session, other)).toBe(404)
    for (const forged of [`${id.slice(0, -2)}AA`, id.slice(1), 'A'.repeat(14_000)]) {
      expect(await statusOf({ ...session, id: forged }, ada)).toBe(404)
    }
    expect(await whoamiAs(session, ada)).toMatchObject({ principal: 'agent:ada' })
    expect(await statusOf(session, bob)).toBe(404)
  })

  it('a token that was revoked meanwhile opens nothing, nor does another of the same agent', async () => {
    const stage = await Stage.open()
    const [first, second] = [await newToken(stage, 'ada'), await newToken(stage, 'ada')]
    const session = await initialize(stage.url, first)
    await stage.kill()
    const { stdout } = await stage.installation.run(['token', 'list', '--json'])
    await stage.installation.run(['token', 'revoke', JSON.parse(stdout)[0].id])
    await stage.restart()
    expect(await statusOf(session, first)).toBe(401)
    expect(await statusOf(session, second)).toBe(404)
  })

  it('a session that its client ends then has ended', async () => {
    const stage = await Stage.open()
    const session = await initialize(stage.url)
    await stage.kill()
    await stage.restart()
    expect((await fetch(stage.url, { method: 'DELETE', headers: headersOf(session) })).status).toBe(200)
    expect(await statusOf(session)).toBe(404)
  })
})

/** One call after the other until one fails; there was one when this resolves. */
async function callOn(agent: TestAgent): Promise<void> {
  await whoami(agent)
  const go = async () => {
    for (;;) await whoami(agent)
  }
  go().catch(() => {})
}

interface RawSession {
  readonly url: URL
  readonly id: string
}

async function newToken(stage: Stage, name: string): Promise<string> {
  return (await stage.installation.run(['token', 'new', name])).stdout.trim()
}

async function initialize(url: URL, token?: string): Promise<RawSession> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const response = await post({ url, id: '' }, token, 'initialize', params)
  return { url, id: response.headers.get('mcp-session-id')! }
}

function headersOf({ id }: RawSession, token?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(id !== '' && { 'mcp-session-id': id }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
}

function post(session: RawSession, token: string | undefined, method: string, params: object): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return fetch(session.url, { method: 'POST', headers: headersOf(session, token), body })
}

async function whoamiAs(session: RawSession, token?: string): Promise<unknown> {
  const response = await post(session, token, 'tools/call', { name: 'whoami', arguments: {} })
  return ((await response.json()) as { result: { structuredContent: unknown } }).result.structuredContent
}

async function statusOf(session: RawSession, token?: string): Promise<number> {
  return (await post(session, token, 'ping', {})).status
}
