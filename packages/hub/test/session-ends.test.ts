import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Message } from '@callboard/protocol'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { listenHttp } from '../src/http/http-server.js'
import { listenMcpSocket } from '../src/mcp/mcp-socket.js'
import type { Identity } from '../src/port.js'
import { modernMeta, read } from './http/front.js'
import { frontOf } from './mcp/fake-hub.js'
import { epoch, running } from './played-runner.js'
import { SocketAgent } from './socket-agent.js'
import { temporaryDirectory } from './temporary.js'

/** Kernels, projects and the like belong to a session: however its agent goes, workers hear that it is over, and when. */

const minute = 60_000
const lingerMs = 10_000
const idleMs = 30 * minute
/** Idle sessions are looked for now and then; and as often our worker gives a sign of life. */
const sweepMs = 30_000

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

interface Stage {
  readonly identity: Identity
  /** Calls a tool on `mcp.sock`, in a session of its own. */
  attach(): Promise<SocketAgent>
  post(message: object, headers?: Record<string, string>, method?: string): Promise<IncomingMessage>
  /** Lets time go by. */
  pass(ms: number): void
  /** Until the hub has let go of all agents' connections. */
  allGone(): Promise<void>
  /** The sessions whose end the worker has heard of. */
  readonly ended: () => string[]
}

/** All of a hub but its ZeroMQ socket: a broker with its clock, and every way in. */
async function stage(): Promise<Stage> {
  const identity: Identity = { session: 's', principal: 'agent:main', roles: ['agent'] }
  const sent: Message[] = []
  let serial = 0
  const { runner, from, signIn } = running({
    send: (_, message) => {
      sent.push(message)
      if (message.type !== 'request') return
      const body = Buffer.from('{"content":[{"type":"text","text":"hello"}]}')
      from({ type: 'response', id: message.id, outcome: 'result', body })
    },
  })
  signIn()
  const front = frontOf(runner)
  const path = join(await temporaryDirectory(), 's')
  const socket = await listenMcpSocket(front, { path, authenticate: () => identity })
  const addresses = [{ host: '127.0.0.1', port: 0 }]
  const http = await listenHttp(front, { addresses, authenticate: () => identity })
  onTestFinished(async () => {
    vi.useRealTimers()
    await Promise.all([socket.close(), http.close()])
    runner.close()
  })
  return {
    identity,
    attach: async () => {
      const agent = await SocketAgent.attach(path)
      expect(await agent.call('greet')).toBe('hello')
      return agent
    },
    post: async (message, headers = {}, method = 'POST') => {
      const all = { 'content-type': 'application/json', ...headers }
      const asked = httpRequest({ ...http.addresses[0], method, path: '/mcp', headers: all, agent: false })
      asked.end(method === 'POST' ? JSON.stringify(message) : undefined)
      return (await once(asked, 'response'))[0]
    },
    pass: (ms) => {
      for (let left = ms; left > 0; left -= sweepMs) {
        vi.advanceTimersByTime(Math.min(left, sweepMs))
        from({ type: 'heartbeat', epoch, serial: ++serial, sentAt: Date.now(), load: 0 })
      }
    },
    allGone: async () => {
      while (runner.broker.snapshot().connections > 0) await turn()
    },
    ended: () => sent.flatMap((message) => (message.type === 'session_closed' ? [message.session] : [])),
  }
}

const greet = (_meta?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'greet', ...(_meta && { _meta }) },
})

async function openSession({ post }: Stage): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'p', version: '1' } }
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  opened.resume()
  const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  expect((await read(await post(greet(), session))).json).toHaveProperty('result')
  return session
}

it('on mcp.sock: some time after the connection, in which its agent may come back [CB-56]', async () => {
  const all = await stage()
  const first = await all.attach()
  first.close()
  await all.allGone()
  all.pass(lingerMs - 1)
  const again = await all.attach()
  all.pass(lingerMs)
  expect(all.ended()).toEqual([])
  again.close()
  await all.allGone()
  all.pass(lingerMs - 1)
  expect(all.ended()).toEqual([])
  all.pass(1)
  expect(all.ended()).toEqual(['s'])
})

it('of a session over HTTP: at once when its client ends it [CB-56]', async () => {
  const all = await stage()
  const session = await openSession(all)
  expect((await all.post({}, session, 'DELETE')).statusCode).toBe(200)
  expect(all.ended()).toEqual(['s'])
})

const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'greet' }

it.each<[string, (all: Stage) => Promise<unknown>]>([
  ['of a session over HTTP', openSession],
  ['over HTTP without a session', async ({ post }) => read(await post(greet()))],
  ['over modern HTTP', async ({ post }) => read(await post(greet(modernMeta), modern))],
])('%s: when its client has long been silent [CB-56]', async (_, use) => {
  const all = await stage()
  await use(all)
  all.pass(idleMs - 1)
  expect(all.ended()).toEqual([])
  all.pass(sweepMs + lingerMs)
  expect(all.ended()).toEqual(['s'])
})
