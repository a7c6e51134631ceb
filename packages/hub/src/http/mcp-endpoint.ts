import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  legacyStatelessFallback,
} from '@modelcontextprotocol/server'
import type { ClientView } from '../catalogue-config.js'
import { sessionNameOf } from '../mcp/agent-request.js'
import { scopeOf } from '../mcp/client-descriptor.js'
import { parseClientView } from '../mcp/client-view.js'
import { invalidRequest, isRecord } from '../mcp/json-rpc.js'
import { depthMax, watchedUrisMax } from '../mcp/limits.js'
import { createMcpServer, type McpFront } from '../mcp/mcp-server.js'
import type { Identity, ListScope } from '../port.js'
import { type AnswerForm, collapsed, settleAccept } from './accept.js'
import { type HttpError, noSession, sendError, serverError, TooBusyError, tooBusy, wrongMethod } from './answers.js'
import { bearerTokenOf } from './bearer-token.js'
import { type LegacySession, LegacySessions } from './legacy-sessions.js'
import { readJsonBody } from './request-body.js'
import { type Lease, SharedConnections } from './shared-connections.js'

export interface HttpAttach {
  /** The bearer token of the request; absent: it has no Authorization at all. */
  readonly token?: string
  /** Which of its sessions the client means: ours for a legacy one, one of its own choice otherwise; absent: it has but one. */
  readonly session?: { readonly kind: 'legacy' | 'chosen'; readonly name: string }
  /** What the client wants in its lists, from the URL. */
  readonly view?: ClientView
}

export interface HttpRefusal {
  readonly status: number
  readonly error: { readonly code: string; readonly message: string }
  readonly headers?: Readonly<Record<string, string>>
}

export type HttpAuthenticate = (attach: HttpAttach) => Identity | HttpRefusal | Promise<Identity | HttpRefusal>

/** One HTTP request, as far as it is read. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: unknown
  readonly form: AnswerForm
}

type Handler = ReturnType<typeof createMcpHandler>

/** `/mcp`: streamable HTTP of both generations. */
export class McpEndpoint {
  readonly #front: McpFront
  readonly #authenticate: HttpAuthenticate
  readonly #bytesMax: number
  readonly #sessions: LegacySessions
  readonly #shared: SharedConnections
  readonly #handlers = new Set<Handler>()

  constructor(front: McpFront, authenticate: HttpAuthenticate, requestBytesMax: number) {
    this.#front = front
    this.#authenticate = authenticate
    this.#bytesMax = requestBytesMax
    this.#sessions = new LegacySessions(front)
    this.#shared = new SharedConnections(front.hub)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = await this.#dispatch(request, response)
      if (refusal !== undefined) sendError(response, refusal)
    } catch (error) {
      if (!(error instanceof TooBusyError)) throw error
      sendError(response, tooBusy)
    }
  }

  sweep(): void {
    this.#sessions.sweep()
    this.#shared.sweep()
  }

  /** Ends all streams; those of modern clients are told that it was on purpose. */
  async close(): Promise<void> {
    await Promise.all([...this.#handlers].map((handler) => handler.close()))
    this.#sessions.close()
    this.#shared.close()
  }

  /** Answers, or returns why not. */
  async #dispatch(request: IncomingMessage, response: ServerResponse): Promise<HttpError | undefined> {
    switch (request.method) {
      case 'POST':
        return this.#post(request, response)
      case 'GET':
      case 'DELETE':
        return this.#inSession({ request, response, body: undefined, form: 'stream' })
      default:
        return wrongMethod
    }
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<HttpError | undefined> {
    if (!isJsonContentType(request.headers['content-type'] ?? null)) {
      return { status: 415, code: serverError, message: 'Content-Type must be application/json' }
    }
    const form = settleAccept(request)
    if (form === 'none') return { status: 406, code: serverError, message: 'Accept must allow application/json' }
    const body = await readJsonBody(request, this.#bytesMax)
    if (body.kind === 'too_large') {
      const message = `The body is larger than ${this.#bytesMax} bytes`
      return { status: 413, code: serverError, message, headers: { connection: 'close' } }
    }
    if (body.kind === 'too_deep') {
      return { status: 400, code: invalidRequest, message: `Invalid request: nested deeper than ${depthMax} levels` }
    }
    if (body.kind === 'invalid') return { status: 400, code: -32700, message: 'Parse error: the body is not JSON' }
    return this.#serve({ request, response, body: body.value, form })
  }

  async #serve(exchange: Exchange): Promise<HttpError | undefined> {
    const { request, body } = exchange
    const probe = await toWebRequest(request as NodeIncomingMessageLike, body)
    if (!(await isLegacyRequest(probe, body))) return this.#modern(exchange)
    if (isRecord(body) && body['method'] === 'initialize') return this.#initialize(exchange)
    if (request.headers['mcp-session-id'] !== undefined) return this.#inSession(exchange)
    return this.#stateless(exchange)
  }

  async #initialize(exchange: Exchange) {
    const id = randomUUID()
    const identity = await this.#identify(exchange.request, { kind: 'legacy', name: id })
    if ('error' in identity) return refused(identity)
    const session = await this.#sessions.create(id, identity)
    return this.#converse(session, exchange)
  }

  async #inSession(exchange: Exchange) {
    const id = exchange.request.headers['mcp-session-id']
    if (typeof id !== 'string') return wrongMethod
    const identity = await this.#identify(exchange.request, { kind: 'legacy', name: id })
    if ('error' in identity) return refused(identity)
    const session = this.#sessions.find(id, identity)
    return session === undefined ? noSession : this.#converse(session, exchange)
  }

  async #converse(session: LegacySession, exchange: Exchange) {
    const { response, body } = exchange
    session.enter()
    whenClosed(response, () => session.leave())
    const options = body === undefined ? {} : { parsedBody: body }
    await answer(exchange, (webRequest) => session.transport.handleRequest(webRequest, options))
    return undefined
  }

  /** A legacy client that did not introduce itself: one request, one answer. */
  async #stateless(exchange: Exchange) {
    const identity = await this.#identify(exchange.request)
    if ('error' in identity) return refused(identity)
    const lease = this.#leaseFor(identity, exchange.response)
    const serve = legacyStatelessFallback(() => createMcpServer(this.#front, lease.connection, 'legacy'), this.#report)
    await answer(exchange, (webRequest) => serve(webRequest, { parsedBody: exchange.body }))
    return undefined
  }

  async #modern(exchange: Exchange) {
    const { response, body, form } = exchange
    const name = sessionNameIn(body)
    const identity = await this.#identify(exchange.request, name === undefined ? undefined : { kind: 'chosen', name })
    if ('error' in identity) return refused(identity)
    const listens = isRecord(body) && body['method'] === 'subscriptions/listen'
    if (listens && form === 'json') {
      return {
        status: 406,
        code: serverError,
        message: 'A subscription is a stream: Accept must allow text/event-stream',
      }
    }
    const lease = this.#leaseFor(identity, response)
    const handler = this.#handlerFor(lease, response)
    if (listens) lease.listen(announcerOf(handler), urisIn(body))
    await answer(exchange, (webRequest) => handler.fetch(webRequest, { parsedBody: body }))
    return undefined
  }

  /** One per request, so that the subscribers of one identity never hear of what another one sees. */
  #handlerFor(lease: Lease, response: ServerResponse): Handler {
    const handler = createMcpHandler(() => createMcpServer(this.#front, lease.connection, 'modern'), {
      legacy: 'reject',
      onerror: this.#report,
    })
    this.#handlers.add(handler)
    whenClosed(response, () => this.#handlers.delete(handler))
    return handler
  }

  #leaseFor(identity: Identity, response: ServerResponse): Lease {
    const lease = this.#shared.acquire(identity)
    whenClosed(response, () => lease.release())
    lease.onEnded(() => response.destroy())
    return lease
  }

  async #identify(request: IncomingMessage, session?: HttpAttach['session']): Promise<Identity | HttpRefusal> {
    const bearer = bearerTokenOf(request.headers)
    if (bearer === 'malformed') return malformedAuthorization
    const view = viewIn(request.url)
    if (typeof view === 'string') return { status: 400, error: { code: 'bad_query', message: `The URL's ${view}` } }
    return this.#authenticate({
      ...(bearer !== undefined && { token: bearer.token }),
      ...(session !== undefined && { session }),
      ...(Object.keys(view).length > 0 && { view }),
    })
  }

  #report = (error: Error): void => {
    this.#front.log.debug({ err: error }, 'an HTTP request was refused')
  }
}

const malformedAuthorization: HttpRefusal = {
  status: 401,
  error: { code: 'unauthorized', message: 'Authorization must be "Bearer", a space and a token' },
  headers: { 'www-authenticate': 'Bearer' },
}

/** The client may have left while we found out who it is; then the event has been. */
function whenClosed(response: ServerResponse, end: () => void): void {
  if (response.closed) end()
  else response.once('close', end)
}

function refused({ status, error, headers }: HttpRefusal): HttpError {
  return { status, code: serverError, message: error.message, ...(headers !== undefined && { headers }) }
}

/** Turns a Node request into the web's, and the web's response back into Node's. */
function answer(
  { request, response, body, form }: Exchange,
  serve: (request: Request) => Promise<Response>,
): Promise<void> {
  const fetch = async (webRequest: Request) => {
    const served = await serve(webRequest)
    return form === 'json' ? collapsed(served) : served
  }
  return toNodeHandler({ fetch })(request as NodeIncomingMessageLike, response, body)
}

function announcerOf({ notify }: Handler) {
  return {
    listChanged: (kind: 'tools' | 'resources' | 'prompts', scope: ListScope) => {
      if (scope === scopeOf('modern')) notify[`${kind}Changed`]()
    },
    resourceUpdated: (uri: string) => notify.resourceUpdated(uri),
  }
}

/** `/mcp?tools=forum:*&mode=search` */
function viewIn(url = ''): ClientView | string {
  const query = new URLSearchParams(url.split('?', 2)[1])
  return parseClientView(query.get('tools') ?? undefined, query.get('mode') ?? undefined)
}

/** A name that is no name is refused by whoever handles the request. */
function sessionNameIn(body: unknown): string | undefined {
  try {
    return isRecord(body) ? sessionNameOf(body['params']) : undefined
  } catch {
    return undefined
  }
}

function urisIn(body: unknown): string[] {
  const params = isRecord(body) ? body['params'] : undefined
  const filter = isRecord(params) ? params['notifications'] : undefined
  const uris = isRecord(filter) ? filter['resourceSubscriptions'] : undefined
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string').slice(0, watchedUrisMax) : []
}
