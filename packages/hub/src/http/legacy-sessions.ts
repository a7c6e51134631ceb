import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { AgentEndpoint } from '../mcp/agent-endpoint.js'
import type { McpFront } from '../mcp/mcp-server.js'
import type { Identity } from '../port.js'
import * as limits from './limits.js'
import { placeToTake } from './room.js'
import { laterOf, standingOf } from './standing.js'

export interface LegacySession {
  readonly id: string
  readonly identity: Identity
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Requests and streams that are open; their number keeps a session from being idle. */
  enter(): void
  leave(): void
}

interface Held extends LegacySession {
  readonly endpoint: AgentEndpoint
  open: number
  idleSince: number
  until: number | undefined
}

/** The sessions of clients up to 2025-11-25, from `initialize` to DELETE or long silence. */
export class LegacySessions {
  readonly #front: McpFront
  readonly #now: () => number
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
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(session),
    })
    const session: Held = {
      id,
      identity,
      transport,
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

  #end(session: Held): void {
    if (!this.#byId.delete(session.id)) return
    session.endpoint.close()
    session.transport.close().catch(() => {})
  }
}
