import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { Client as ClientOfSdk2, StreamableHTTPClientTransport as HttpOfSdk2 } from '@modelcontextprotocol/client'
import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpOfSdk1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { NdjsonTransport } from '../../src/mcp/ndjson-transport.js'
import type { Loose } from './fake-hub.js'

export const agentKinds = ['sdk 1', 'sdk 2 legacy', 'sdk 2 modern'] as const
/** `sdk 2 auto` finds out which era the server speaks. */
export type AgentKind = (typeof agentKinds)[number] | 'sdk 2 auto'

export interface RequestOptions {
  signal?: AbortSignal
  onprogress?: (progress: Loose) => void
}

/** One face for the clients of both SDKs. */
export interface TestAgent {
  readonly kind: AgentKind
  readonly modern: boolean
  request(method: string, params?: object, options?: RequestOptions): Promise<Loose>
  notify(method: string): Promise<void>
  /** As a real program calls: with the SDK's checks of the result. */
  callTool(name: string, args?: object): Promise<Loose>
  /** Answers what a server may ask a client. */
  onAsked(method: Question, answer: (params: Loose, options: { signal: AbortSignal }) => Loose): void
  /** The next notification of this method; those that came before are kept. */
  notified(method: string): Promise<Loose>
  /** Wants to hear of changes: a listen stream where the era has them. */
  listen(uris?: string[]): Promise<{ close(): Promise<void> }>
  readonly client: Loose
  close(): Promise<void>
}

export type Question = keyof typeof questions

const questions = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
}

const info = { name: 'test', version: '1' }
const anything = z.looseObject({})

/** `transport`: line transports serve both SDKs. */
export async function connectAgent(
  kind: AgentKind,
  transport: Loose,
  capabilities: object = { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: {} },
): Promise<TestAgent> {
  const client: Loose =
    kind === 'sdk 1'
      ? new ClientOfSdk1(info, { capabilities })
      : new ClientOfSdk2(info, {
          capabilities,
          ...(kind === 'sdk 2 modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
          ...(kind === 'sdk 2 auto' && { versionNegotiation: { mode: 'auto' } }),
        })
  const inbox = new Inbox()
  client.fallbackNotificationHandler = async (notification: Loose) => inbox.put(notification)
  await client.connect(transport)
  const modern = kind === 'sdk 2 modern' || kind === 'sdk 2 auto'
  return {
    kind,
    modern,
    client,
    request: (method, params, options) =>
      client.request({ method, ...(params && { params }) }, kind === 'sdk 1' ? ResultSchema : anything, options),
    notify: (method) => client.notification({ method }),
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    onAsked: (method, answer) =>
      client.setRequestHandler(kind === 'sdk 1' ? questions[method] : method, (request: Loose, context: Loose) =>
        answer(request.params, { signal: context.signal ?? context.mcpReq?.signal }),
      ),
    notified: (method) => inbox.take(method),
    listen: async (uris = []) => {
      if (modern) {
        const kinds = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
        return client.listen({ ...kinds, resourceSubscriptions: uris })
      }
      for (const uri of uris) await client.subscribeResource({ uri })
      return {
        close: async () => {
          for (const uri of uris) await client.unsubscribeResource({ uri })
        },
      }
    },
    close: () => client.close(),
  }
}

/**
 * Hands the client one message per turn: SDK clients forget a call's progress handler when they read its result, before they
 * look at a notification that came in the same chunk, and in a test both ends share one event loop.
 */
export function lineTransport(input: Readable, output: Writable): NdjsonTransport {
  const waiting: Loose[] = []
  const deliver = () => {
    transport.onmessage?.(waiting.shift())
    if (waiting.length > 0) setImmediate(deliver)
  }
  const transport: NdjsonTransport = new NdjsonTransport({
    input,
    output,
    intercept: (message) => {
      if (waiting.push(message) === 1) setImmediate(deliver)
      return true
    },
  })
  return transport
}

export function httpTransport(kind: AgentKind, url: URL, headers: Record<string, string> = {}): Loose {
  return kind === 'sdk 1'
    ? new HttpOfSdk1(url, { requestInit: { headers } })
    : new HttpOfSdk2(url, { requestInit: { headers } })
}

class Inbox {
  readonly #kept: Loose[] = []
  readonly #arrived = new EventEmitter()

  put(notification: Loose): void {
    this.#kept.push(notification)
    this.#arrived.emit('any')
  }

  async take(method: string): Promise<Loose> {
    for (;;) {
      const index = this.#kept.findIndex((notification) => notification.method === method)
      if (index !== -1) return this.#kept.splice(index, 1)[0].params
      await new Promise((resolve) => this.#arrived.once('any', resolve))
    }
  }
}
