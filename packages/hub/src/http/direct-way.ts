import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { directEnvelope } from '../mcp/direct-envelope.js'
import { isRecord } from '../mcp/json-rpc.js'
import type { McpFront } from '../mcp/mcp-server.js'
import { acceptsJson } from './accept.js'
import { oneCharacterPerByte } from './answers.js'
import type { BegunCall } from './begun-call.js'
import { DirectCalls } from './direct-calls.js'
import { DirectLists } from './direct-lists.js'
import { RouteFinder, type RouteFinderParts, type Sent } from './direct-route.js'

/** What is left to do of a request. */
export type Rest =
  | { readonly kind: 'nothing' }
  /** To go the usual way. `begun`: its call is under way. */
  | { readonly kind: 'all'; readonly begun?: BegunCall }
  /** Nothing is known of it: it is to be parsed. */
  | { readonly kind: 'unread' }

export interface DirectWayParts extends Omit<RouteFinderParts, 'envelopes'> {
  readonly front: McpFront
  /** How long a client that reads streams waits for one to begin. */
  readonly patienceMs: number
}

/** Answers the plain requests among those to `/mcp` without the SDK: nearly all of them. */
export class DirectWay {
  readonly #routes: RouteFinder
  readonly #calls: DirectCalls
  readonly #lists: DirectLists

  constructor({ front, patienceMs, ...parts }: DirectWayParts) {
    const routes = new RouteFinder({ ...parts, envelopes: front.envelopes })
    this.#routes = routes
    this.#calls = new DirectCalls({ front, routes, patienceMs })
    this.#lists = new DirectLists(front, routes)
  }

  /**
   * Of a message that the SDK found to be of a modern client: the next one that says the same of itself is known. Only of
   * requests it has judged all of that; of a notification it looks at the version alone.
   */
  learn(message: unknown): void {
    if (!isRecord(message) || !('id' in message) || !isRecord(message['params'])) return
    this.#routes.learn(message['params']['_meta'])
  }

  /** For a call that is spelled as most clients do. @throws TooBusyError */
  answerBody(body: Buffer, sent: Sent): Rest | Promise<Rest> {
    const envelope = directEnvelope(body)
    if (envelope === undefined) return { kind: 'unread' }
    return acceptsJson(sent.request) ? this.#calls.answer(envelope, sent) : { kind: 'all' }
  }

  /** @throws TooBusyError */
  async answerMessage(message: JSONRPCMessage, sent: Sent): Promise<Rest> {
    if (!('method' in message && 'id' in message) || !acceptsJson(sent.request)) return { kind: 'all' }
    const { method, params, id } = message
    if (method === 'tools/list') return { kind: (await this.#lists.answer({ id, params }, sent)) ? 'nothing' : 'all' }
    if (method !== 'tools/call' || params === undefined) return { kind: 'all' }
    const envelope = { id: oneCharacterPerByte(JSON.stringify(id)), params: Buffer.from(JSON.stringify(params)) }
    return this.#calls.answer({ ...envelope, value: id }, sent)
  }
}
