import { randomUUID } from 'node:crypto'
import { AgentEndpoint } from '../mcp/agent-endpoint.js'
import { scopeOf } from '../mcp/client-descriptor.js'
import type { DescribedAgent } from '../mcp/described-agent.js'
import type { McpFront } from '../mcp/mcp-server.js'
import type { Connection, Identity } from '../port.js'
import { EndedIds } from './ended-ids.js'
import { EventMemory, KeptEvents } from './kept-events.js'
import * as limits from './limits.js'
import { placeToTake } from './room.js'
import { type Introduction, introductionIn, type SessionSeal } from './session-seal.js'
import { SessionTransport } from './session-transport.js'
import { laterOf, standingOf } from './standing.js'

export interface LegacySession {
  readonly id: string
  readonly identity: Identity
  readonly transport: SessionTransport
  readonly connection: Connection
  /** Its client, for calls that do without the SDK; undefined until it has introduced itself. */
  agent(): DescribedAgent | undefined
  /** What a client that lost a stream can come back for. */
  readonly events: Pick<KeptEvents, 'knows' | 'isOver' | 'formerOf'>
  /** Requests and streams that are open; their number keeps a session from being idle. */
  enter(): void
  leave(): void
  /** The client has opened the stream of its session: it may have missed changes while there was no hub. */
  listens(): void
}

interface Held extends LegacySession {
  readonly events: KeptEvents
  readonly endpoint: AgentEndpoint
  open: number
  idleSince: number
  until: number | undefined
  owesNews: boolean
  /** Who came last, as it is without a session. */
  reachedBy: Identity | undefined
}

/** Whatever a legacy client asks, it is who it said at the beginning. */
const plainRequest = { meta: {} } as const

const listKinds = ['tools', 'resources', 'prompts'] as const

/**
 * The sessions of clients up to 2025-11-25, from `initialize` to DELETE or long silence. Those that a killed hub had are made anew when
 * their clients come back: in the state after `initialize`, with nothing of what came later.
 */
export class LegacySessions {
  readonly #front: McpFront
  readonly #seal: SessionSeal
  readonly #now: () => number
  readonly #memory = new EventMemory()
  readonly #byId = new Map<string, Held>()
  readonly #revivals = new Map<string, Promise<LegacySession | undefined>>()
  readonly #ended = new EndedIds()

  constructor(front: McpFront, seal: SessionSeal, now: () => number = Date.now) {
    this.#front = front
    this.#seal = seal
    this.#now = now
  }

  get size(): number {
    return this.#byId.size
  }

  /** For a session that is about to begin: one that the next hub can open where that is possible. `params`: of `initialize`. */
  newId(params: unknown, caller: Identity): string {
    const introduction = introductionIn(params)
    return (introduction && this.#seal.seal(introduction, caller)) ?? randomUUID()
  }

  /** The session of this id, also if it was a former hub's. @throws TooBusyError */
  async reach(id: string, identity: Identity): Promise<LegacySession | undefined> {
    const revival = this.#revivals.get(id)
    if (revival !== undefined) await revival
    return this.find(id, identity) ?? this.#revive(id, identity)
  }

  /**
   * The session of this id, for a caller that is remembered to have reached it. `caller`: who it is without a session, from
   * which follows who it is in this one.
   */
  reached(id: string, caller: Identity): LegacySession | undefined {
    const session = this.#byId.get(id)
    if (session === undefined || session.reachedBy !== caller) return undefined
    session.until = laterOf(session.until, caller.until)
    return session
  }

  remember(id: string, caller: Identity): void {
    const session = this.#byId.get(id)
    if (session !== undefined) session.reachedBy = caller
  }

  /** Only for whoever opened it, with the same rights and by the same token: for any other there is no such session. */
  find(id: string, identity: Identity): LegacySession | undefined {
    const session = this.#byId.get(id)
    if (session === undefined) return undefined
    if (session.identity !== identity && standingOf(session.identity) !== standingOf(identity)) return undefined
    session.until = laterOf(session.until, identity.until)
    return session
  }

  /** @throws TooBusyError */
  create(id: string, identity: Identity): Promise<LegacySession> {
    return this.#begin(id, identity)
  }

  async #begin(id: string, identity: Identity): Promise<Held> {
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

  /** No await before it is known that it goes on: whoever comes meanwhile must not find half a session. */
  #revive(id: string, identity: Identity): Promise<LegacySession | undefined> | undefined {
    if (this.#byId.has(id) || this.#ended.has(id)) return undefined
    const introduction = this.#seal.open(id, identity)
    if (introduction === undefined) return undefined
    const revival = this.#reopen(id, identity, introduction).finally(() => this.#revivals.delete(id))
    this.#revivals.set(id, revival)
    return revival
  }

  async #reopen(id: string, identity: Identity, introduction: Introduction): Promise<LegacySession | undefined> {
    const session = await this.#begin(id, identity)
    session.enter()
    await session.transport.reintroduce(introduction)
    session.events.clear()
    session.owesNews = true
    session.leave()
    return this.find(id, identity)
  }

  #makeRoom(principal: string): void {
    const room = { placesMax: limits.legacySessionsMax, principalPlacesMax: limits.principalPlacesMax }
    const taken = placeToTake(this.#byId.values(), principal, room)
    if (taken !== undefined) this.#end(taken)
  }

  #build(id: string, identity: Identity): Held {
    const events = new KeptEvents(this.#memory, this.#now, (stream) => transport.requestsOn(stream))
    const transport = new SessionTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(session, 'left'),
      eventStore: events,
      retryInterval: limits.streamRetryMs,
      keepAliveMs: 0,
    })
    const endpoint = new AgentEndpoint(this.#front, identity, () => this.#end(session))
    const session: Held = {
      id,
      identity,
      transport,
      events,
      endpoint,
      connection: endpoint.connection,
      agent: () => endpoint.direct?.describe(plainRequest),
      open: 0,
      until: identity.until,
      idleSince: this.#now(),
      owesNews: false,
      reachedBy: undefined,
      enter: () => {
        session.open += 1
      },
      leave: () => {
        session.open -= 1
        session.idleSince = this.#now()
        // An `initialize` that was refused leaves nothing to come back to.
        if (transport.sessionId === undefined) this.#end(session)
      },
      listens: () => {
        if (!session.owesNews) return
        session.owesNews = false
        for (const kind of listKinds) session.endpoint.listChanged(kind, scopeOf('legacy'))
      },
    }
    return session
  }

  #end(session: Held, how: 'left' | 'given_up' = 'given_up'): void {
    if (!this.#byId.delete(session.id)) return
    this.#ended.add(session.id)
    if (how === 'left') session.endpoint.leave()
    else session.endpoint.close()
    session.transport.close().catch(() => {})
    session.events.clear()
  }
}
