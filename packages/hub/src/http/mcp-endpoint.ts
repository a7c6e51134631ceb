import type { IncomingMessage, ServerResponse } from 'node:http'
import { classifyInboundRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { sessionNameOf } from '../mcp/agent-request.js'
import { invalidRequest, isRecord } from '../mcp/json-rpc.js'
import { createMcpServer, type McpFront } from '../mcp/mcp-server.js'
import type { Identity } from '../port.js'
import { settleAccept, takeJsonOnly } from './accept.js'
import { type HttpError, noSession, sendJson, wrongMethod } from './answers.js'
import type { BegunCall } from './begun-call.js'
import type { Callers } from './callers.js'
import type { Sent } from './direct-route.js'
import { DirectWay, type Rest } from './direct-way.js'
import { type Exchange, type ExchangeWriter, whenClosed } from './exchange.js'
import { errorOf, type Incoming, parseIncoming } from './incoming.js'
import { type LegacySession, LegacySessions } from './legacy-sessions.js'
import { requestBytesMax } from './limits.js'
import { lostAnswers } from './lost-answers.js'
import { ModernHandlers } from './modern-handlers.js'
import { type BodyReader, parseJsonBody } from './request-body.js'
import type { SessionSeal } from './session-seal.js'
import type { Lease, SharedConnections } from './shared-connections.js'
import { serveStateless } from './stateless.js'

/** What `/mcp` shares with the rest of the HTTP front. */
export interface McpEndpointParts {
  readonly front: McpFront
  readonly callers: Callers
  readonly shared: SharedConnections
  readonly bodies: BodyReader
  readonly writer: ExchangeWriter
  readonly seal: SessionSeal
}

/** A request to `/mcp` whose sender is known. */
interface Posted extends Exchange {
  readonly messages: readonly JSONRPCMessage[]
  /** Who sends it, in the one session that needs no name. */
  readonly caller: Identity
}

/** `/mcp`: streamable HTTP of both generations. */
export class McpEndpoint {
  readonly #parts: McpEndpointParts
  readonly #sessions: LegacySessions
  readonly #direct: DirectWay
  readonly #handlers: ModernHandlers

  constructor(parts: McpEndpointParts) {
    this.#parts = parts
    this.#sessions = new LegacySessions(parts.front, parts.seal)
    const { front, callers, shared, writer } = parts
    this.#handlers = new ModernHandlers(front)
    this.#direct = new DirectWay({ front, callers, shared, sessions: this.#sessions, patienceMs: writer.patienceMs })
  }

  /** Answers, or returns why not. @throws TooBusyError */
  handle(request: IncomingMessage, response: ServerResponse, caller: Identity): Promise<HttpError | undefined> {
    switch (request.method) {
      case 'POST':
        return this.#post(request, response, caller)
      case 'GET':
      case 'DELETE':
        return this.#inSession({ request, response, body: undefined, form: 'stream', messages: [], caller })
      default:
        return Promise.resolve(wrongMethod('GET, POST, DELETE'))
    }
  }

  sweep(): void {
    this.#sessions.sweep()
  }

  /** Ends all streams; those of modern clients are told that it was on purpose. */
  async close(): Promise<void> {
    await this.#handlers.close()
    this.#sessions.close()
  }

  async #post(request: IncomingMessage, response: ServerResponse, caller: Identity): Promise<HttpError | undefined> {
    const read = await this.#parts.bodies.read(request, response, requestBytesMax)
    if (read.kind === 'refused') return read.error
    const form = settleAccept(request)
    if (form === undefined) return notAcceptable
    const sent = { request, response, form, caller }
    const answered = this.#direct.answerBody(read.value, sent)
    const rest = answered instanceof Promise ? await answered : answered
    if (rest.kind === 'nothing') return undefined
    return this.#goOn(rest, (begun) => this.#parse(read.value, sent, begun, rest.kind === 'unread'))
  }

  async #parse(body: Buffer, sent: Sent, begun: BegunCall | undefined, isUnread: boolean) {
    const parsed = parseJsonBody(body)
    if (parsed.kind === 'refused') return parsed.error
    const incoming = parseIncoming(parsed.value, headerOf(sent.request, 'mcp-protocol-version'))
    if (incoming.kind === 'refused') return incoming.error
    if (!isUnread || incoming.kind === 'batch') return this.#serve(postedOf(incoming, sent, begun))
    const rest = await this.#direct.answerMessage(incoming.message, sent)
    return this.#goOn(rest, (begun) => this.#serve(postedOf(incoming, sent, begun)))
  }

  /** With the SDK, if anything is left to do. */
  async #goOn(rest: Rest, goOn: (begun: BegunCall | undefined) => Promise<HttpError | undefined>) {
    if (rest.kind === 'nothing') return undefined
    const begun = rest.kind === 'all' ? rest.begun : undefined
    try {
      return await goOn(begun)
    } finally {
      begun?.cancelAlone()
    }
  }

  async #serve(posted: Posted): Promise<HttpError | undefined> {
    const { request, body, faults, messages } = posted
    if (faults !== undefined && messages.length === 0) return void sendJson(posted.response, 400, faults)
    if (posted.form === 'json') takeJsonOnly(request)
    const generation = generationOf(request, body)
    if (generation === 'modern') this.#direct.learn(body)
    if (generation !== 'legacy') return this.#modern(posted)
    if (isRecord(body) && body['method'] === 'initialize') return this.#initialize(posted)
    if (request.headers['mcp-session-id'] !== undefined) return this.#inSession(posted)
    return this.#stateless(posted)
  }

  async #initialize(posted: Posted): Promise<HttpError | undefined> {
    const id = this.#sessions.newId(isRecord(posted.body) ? posted.body['params'] : undefined, posted.caller)
    const identity = await this.#parts.callers.identify(posted.request, { kind: 'legacy', name: id })
    if ('status' in identity) return identity
    const session = await this.#sessions.create(id, identity)
    return this.#converse(session, posted)
  }

  async #inSession(posted: Posted): Promise<HttpError | undefined> {
    const id = headerOf(posted.request, 'mcp-session-id')
    if (id === undefined) return wrongMethod('POST')
    const identity = await this.#parts.callers.identify(posted.request, { kind: 'legacy', name: id })
    if ('status' in identity) return identity
    const session = await this.#sessions.reach(id, identity)
    if (session === undefined) return noSession
    return posted.request.method === 'GET' ? this.#stream(session, posted) : this.#converse(session, posted)
  }

  /** The session's own stream, or the rest of one that was lost. */
  async #stream(session: LegacySession, posted: Posted): Promise<HttpError | undefined> {
    const { request } = posted
    const lastEventId = headerOf(request, 'last-event-id')
    const former = lastEventId === undefined ? undefined : session.events.formerOf(lastEventId)
    if (former?.kind === 'requests') {
      if (former.unanswered.length === 0) return streamIsOver
      return void (await this.#parts.writer.answer(posted, false, async () => lostAnswers(former)))
    }
    // Of the session's own stream, nothing that a former life of the hub had to say still holds: it is opened anew.
    if (former?.kind === 'session') delete request.headers['last-event-id']
    else if (lastEventId !== undefined) {
      if (!session.events.knows(lastEventId)) return unknownEvent
      if (session.events.isOver(lastEventId)) return streamIsOver
    }
    return this.#converse(session, posted)
  }

  async #converse(session: LegacySession, posted: Posted): Promise<HttpError | undefined> {
    const { response, body, messages } = posted
    const { transport } = session
    const used = transport.claim(messages)
    if (used !== undefined) {
      return errorOf({ code: invalidRequest, message: 'Invalid request: the id is in use', id: used })
    }
    session.enter()
    whenClosed(response, () => session.leave())
    await this.#parts.writer.answer(posted, false, async (request) => {
      const served = await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body })
      if (served.ok) await transport.endCancelled(messages)
      else transport.release(messages)
      if (served.ok && opensOwnStream(request)) session.listens()
      return served
    })
    return undefined
  }

  /** A legacy client that did not introduce itself: one request, one answer. */
  async #stateless(posted: Posted): Promise<undefined> {
    const lease = this.#leaseFor(posted.caller, posted.response)
    const createServer = () => createMcpServer(this.#parts.front, lease.connection, 'legacy')
    await this.#parts.writer.answer(posted, false, (request) => serveStateless(createServer(), request, posted.body))
  }

  async #modern(posted: Posted): Promise<HttpError | undefined> {
    const { response, body, form } = posted
    const identity = await this.#inChosenSession(posted)
    if ('status' in identity) return identity
    const listens = isRecord(body) && body['method'] === 'subscriptions/listen'
    if (listens && form === 'json') return subscriptionIsStream
    const lease = this.#leaseFor(identity, response)
    await this.#parts.writer.answer(posted, true, this.#handlers.serverFor(posted, lease))
    return undefined
  }

  async #inChosenSession({ request, body, caller }: Posted): Promise<Identity | HttpError> {
    const name = sessionNameIn(body)
    return name === undefined ? caller : this.#parts.callers.identify(request, { kind: 'chosen', name })
  }

  #leaseFor(identity: Identity, response: ServerResponse): Lease {
    const lease = this.#parts.shared.acquire(identity)
    whenClosed(response, () => lease.release())
    lease.onEnded(() => response.destroy())
    return lease
  }
}

const notAcceptable: HttpError = {
  status: 406,
  code: 'NOT_ACCEPTABLE',
  message: 'Accept must allow application/json',
}
const subscriptionIsStream: HttpError = {
  status: 406,
  code: 'NOT_ACCEPTABLE',
  message: 'A subscription is a stream: Accept must allow text/event-stream',
}
const unknownEvent: HttpError = {
  status: 400,
  code: 'UNKNOWN_EVENT',
  message: 'Nothing is kept from that Last-Event-ID on: open the stream without it, or repeat the request',
}

/**
 * SDK 1.x takes a stream that ends with an error for a broken one, and would come back for more every second. This status it
 * takes for a no, and is quiet.
 */
const streamIsOver: HttpError = {
  status: 405,
  code: 'STREAM_IS_OVER',
  message: 'That stream has ended, and nothing of it is left to read',
  headers: { allow: 'POST, DELETE' },
}

function opensOwnStream({ method, headers }: Request): boolean {
  return method === 'GET' && !headers.has('last-event-id')
}

/** As the SDK's handlers will see it. */
function generationOf(request: IncomingMessage, body: unknown): 'legacy' | 'modern' | 'reject' {
  const headers = {
    protocolVersionHeader: headerOf(request, 'mcp-protocol-version'),
    mcpMethodHeader: headerOf(request, 'mcp-method'),
    mcpNameHeader: headerOf(request, 'mcp-name'),
  }
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return classifyInboundRequest({ httpMethod: 'POST', ...given, body }).kind
}

/** Who sends a batch reads one array. */
function postedOf(incoming: Exclude<Incoming, { kind: 'refused' }>, sent: Sent, begun: BegunCall | undefined): Posted {
  if (incoming.kind === 'message') {
    return { ...sent, ...(begun && { begun }), body: incoming.message, messages: [incoming.message] }
  }
  const { messages, faults } = incoming
  return { ...sent, form: 'json', body: messages, messages, faults }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** A name that is no name is refused by whoever handles the request. */
function sessionNameIn(body: unknown): string | undefined {
  try {
    return isRecord(body) ? sessionNameOf(body['params']) : undefined
  } catch {
    return undefined
  }
}
