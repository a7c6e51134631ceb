import {
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { AgentEndpoint } from '../mcp/agent-endpoint.js'
import { isCancellation } from '../mcp/json-rpc.js'
import type { McpFront } from '../mcp/mcp-server.js'
import type { Identity } from '../port.js'
import { serverError } from './answers.js'
import { requestIdsOf } from './incoming.js'
import { EventMemory, KeptEvents } from './kept-events.js'
import * as limits from './limits.js'
import { placeToTake } from './room.js'
import { laterOf, standingOf } from './standing.js'

export interface LegacySession {
  readonly id: string
  readonly identity: Identity
  readonly transport: SessionTransport
  /** What a client that lost a stream can come back for. */
  readonly events: Pick<KeptEvents, 'knows' | 'isOver'>
  /** Requests and streams that are open; their number keeps a session from being idle. */
  enter(): void
  leave(): void
}

interface Held extends LegacySession {
  readonly events: KeptEvents
  readonly endpoint: AgentEndpoint
  open: number
  idleSince: number
  until: number | undefined
}

/** The sessions of clients up to 2025-11-25, from `initialize` to DELETE or long silence. */
export class LegacySessions {
  readonly #front: McpFront
  readonly #now: () => number
  readonly #memory = new EventMemory()
  readonly #byId = new Map<string, Held>()

  constructor(front: McpFront, now: () => number = Date.now) {
    this.#front = front
    this.#now = now
  }

  get size(): number {
    return this.#byId.size
  }

  /** Only for whoever opened it, with the same rights and by the same token: for any other there is no such session. */
  find(id: string, identity: Identity): LegacySession | undefined {
    const session = this.#byId.get(id)
    if (session === undefined || standingOf(session.identity) !== standingOf(identity)) return undefined
    session.until = laterOf(session.until, identity.until)
    return session
  }

  /** @throws TooBusyError */
  async create(id: string, identity: Identity): Promise<LegacySession> {
    this.#makeRoom(identity.principal)
    const session = this.#build(id, identity)
    this.#byId.set(id, session)
    await session.endpoint.createServer({ era: 'legacy' }).connect(session.transport)
    return session
  }

  /** Ends what nobody has used for long, what never got past `initialize`, and what nobody has renewed. */
  sweep(): void {
    for (const session of this.#byId.values()) {
      if (session.until !== undefined && this.#now() >= session.until) this.#end(session)
      session.events.sweep()
      const idle = this.#now() - session.idleSince
      if (session.open === 0 && idle >= limits.legacySessionIdleMs) this.#end(session)
    }
  }

  close(): void {
    for (const session of this.#byId.values()) this.#end(session)
  }

  #makeRoom(principal: string): void {
    const room = { placesMax: limits.legacySessionsMax, principalPlacesMax: limits.principalPlacesMax }
    const taken = placeToTake(this.#byId.values(), principal, room)
    if (taken !== undefined) this.#end(taken)
  }

  #build(id: string, identity: Identity): Held {
    const events = new KeptEvents(this.#memory, this.#now)
    const transport = new SessionTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(session, 'left'),
      eventStore: events,
      retryInterval: limits.streamRetryMs,
      keepAliveMs: 0,
    })
    const session: Held = {
      id,
      identity,
      transport,
      events,
      endpoint: new AgentEndpoint(this.#front, identity, () => this.#end(session)),
      open: 0,
      until: identity.until,
      idleSince: this.#now(),
      enter: () => {
        session.open += 1
      },
      leave: () => {
        session.open -= 1
        session.idleSince = this.#now()
        // An `initialize` that was refused leaves nothing to come back to.
        if (transport.sessionId === undefined) this.#end(session)
      },
    }
    return session
  }

  #end(session: Held, how: 'left' | 'given_up' = 'given_up'): void {
    if (!this.#byId.delete(session.id)) return
    if (how === 'left') session.endpoint.leave()
    else session.endpoint.close()
    session.transport.close().catch(() => {})
    session.events.clear()
  }
}

/** The SDK's, which loses its way between requests of one id, and leaves the stream of a cancelled one open for ever. */
class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #open = new Set<RequestId>()

  /** An id among those of new requests that is in use; undefined: they are all taken now. */
  claim(messages: readonly JSONRPCMessage[]): RequestId | undefined {
    const ids = requestIdsOf(messages)
    const used = ids.find((id) => this.#open.has(id))
    if (used !== undefined) return used
    for (const id of ids) this.#open.add(id)
    return undefined
  }

  /** For requests that never got anywhere. */
  release(messages: readonly JSONRPCMessage[]): void {
    for (const id of requestIdsOf(messages)) this.#open.delete(id)
  }

  /** Its HTTP request waits for an end that the protocol does not give it: so an error it is. */
  async endCancelled(messages: readonly JSONRPCMessage[]): Promise<void> {
    for (const message of messages.filter(isCancellation)) {
      const id = message.params?.['requestId'] as RequestId
      const error = { code: serverError, message: 'The request was cancelled' }
      if (this.#open.has(id)) await this.send({ jsonrpc: '2.0', id, error })
    }
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if ('result' in message || 'error' in message) this.#open.delete(message.id as RequestId)
    return super.send(message, options)
  }
}
