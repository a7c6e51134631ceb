import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { VirtualClock } from '@callboard/worker/testing'
import type { ForumConfig } from '../../src/config/forum-config.js'
import { anonymous, type Credential } from '../../src/http/credential.js'
import type { Scope, SiteClient } from '../../src/http/site-client.js'
import { SiteClients } from '../../src/http/site-clients.js'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** By the virtual clock. */
  readonly at: number
}

/** Answers one request; further ones get the last answer of a list. */
export type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A server on the loopback, and clients with a clock that stands still. */
export async function serveWeb(answering: Answering | readonly Answering[], config: Partial<ForumConfig> = {}) {
  const requests: SeenRequest[] = []
  const clock = new VirtualClock()
  const listener: RequestListener = async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, headers, body, at: clock.now() })
    const list = typeof answering === 'function' ? [answering] : answering
    list[Math.min(requests.length, list.length) - 1]?.(request, response, body)
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = new AbortController()
  const sites = siteClients(clock, config)
  return {
    origin,
    requests,
    clock,
    sites,
    stop,
    scope: { deadline: clock.now() + 60_000, signal: stop.signal } satisfies Scope,
    client: (credential: Credential = adminKey, path = ''): SiteClient => sites.for(`${origin}${path}`, credential),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function siteClients(clock: VirtualClock, config: Partial<ForumConfig> = {}): SiteClients {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const settled = { timeoutMs: 15_000, concurrency: 4, userAgent: 'Callboard/1', ...config } as ForumConfig
  return new SiteClients({ config: settled, clock, random: () => 0, log })
}

export const adminKey: Credential = {
  id: 'admin',
  kind: 'api_key',
  username: 'system',
  headers: (actAs = 'system') => ({ 'Api-Key': 'a-very-secret-admin-key', 'Api-Username': actAs }),
}

export const userKey: Credential = {
  id: 'user',
  kind: 'user_api_key',
  headers: () => ({ 'User-Api-Key': 'a-very-secret-user-key', 'User-Api-Client-Id': 'client' }),
}

export const nobody = anonymous

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answering {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  }
}

export function text(value: string, status = 200, headers: Record<string, string> = {}): Answering {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(value)
  }
}

export const cut: Answering = (request) => request.socket.destroy()

export function redirect(location: string, status = 302): Answering {
  return (_, response) => {
    response.writeHead(status, { location }).end()
  }
}

/** Lets everything go on that waits for no time. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn += 1) {
    if (turn > 200_000) throw new Error('it never came to that')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Many turns of the event loop: whoever can go on without time passing has done so. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Time passes while somebody pauses; what lies further ahead than `longestMs` is no pause but a time limit. */
export async function throughPauses<Value>(
  clock: VirtualClock,
  work: Promise<Value>,
  longestMs = 5_000,
): Promise<Value> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  work.then(done, done)
  while (!isDone) {
    const wake = clock.nextWake
    if (wake !== undefined && wake - clock.now() <= longestMs) clock.advance(wake - clock.now())
    await new Promise((resolve) => setImmediate(resolve))
  }
  return work
}
