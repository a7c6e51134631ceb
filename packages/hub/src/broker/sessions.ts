import type { Caller } from '@callboard/protocol'
import type { Identity } from '../port.js'
import { agentCaller } from './agent-call.js'
import type { ConnectionId } from './events.js'
import { subscriptionsPerSessionMax } from './limits.js'

/** One agent's session: alive while it has a connection, and a little longer. */
export interface Session {
  readonly id: string
  readonly identity: Identity
  readonly connections: Set<ConnectionId>
  /** Who watches which URI. */
  readonly subscriptions: Map<string, Set<ConnectionId>>
}

export class Sessions {
  readonly #sessions = new Map<string, Session>()
  readonly #connections = new Map<ConnectionId, Session>()
  readonly #identities = new Map<ConnectionId, Identity>()
  readonly #callers = new Map<ConnectionId, Caller>()
  readonly #watching = new Map<string, Set<Session>>()

  get size(): number {
    return this.#sessions.size
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id)
  }

  ids(): string[] {
    return [...this.#sessions.keys()]
  }

  values(): IterableIterator<Session> {
    return this.#sessions.values()
  }

  connections(): IterableIterator<[ConnectionId, Identity]> {
    return this.#identities.entries()
  }

  identityOf(connection: ConnectionId): Identity | undefined {
    return this.#identities.get(connection)
  }

  /** For whom a connection's calls are; it is open. */
  callerOf(connection: ConnectionId): Caller | undefined {
    return this.#callers.get(connection)
  }

  /** Whether there is no room for one more session; one that is there already has its room. */
  isFull(id: string, countMax: number): boolean {
    return this.#sessions.size >= countMax && !this.#sessions.has(id)
  }

  oldestLingering(): Session | undefined {
    for (const session of this.#sessions.values()) if (session.connections.size === 0) return session
    return undefined
  }

  open(connection: ConnectionId, identity: Identity): Session {
    let session = this.#sessions.get(identity.session)
    if (session === undefined) {
      session = { id: identity.session, identity, connections: new Set(), subscriptions: new Map() }
      this.#sessions.set(session.id, session)
    }
    session.connections.add(connection)
    this.#connections.set(connection, session)
    this.#identities.set(connection, identity)
    this.#callers.set(connection, agentCaller(identity))
    return session
  }

  /** Returns the session, and the URIs that nobody in it watches any more. */
  close(connection: ConnectionId): { session: Session; unwatched: string[] } | undefined {
    const session = this.#connections.get(connection)
    if (session === undefined) return undefined
    this.#connections.delete(connection)
    this.#identities.delete(connection)
    this.#callers.delete(connection)
    session.connections.delete(connection)
    const unwatched = [...session.subscriptions.keys()].filter((uri) => this.#unwatch(session, connection, uri))
    return { session, unwatched }
  }

  end(session: Session): void {
    this.#sessions.delete(session.id)
  }

  /** True when the session did not watch the URI before. */
  subscribe(connection: ConnectionId, uri: string): boolean {
    const session = this.#connections.get(connection)
    if (session === undefined) return false
    const watchers = session.subscriptions.get(uri)
    if (watchers !== undefined) {
      watchers.add(connection)
      return false
    }
    if (session.subscriptions.size >= subscriptionsPerSessionMax) return false
    session.subscriptions.set(uri, new Set([connection]))
    const sessions = this.#watching.get(uri) ?? new Set()
    this.#watching.set(uri, sessions.add(session))
    return true
  }

  watching(uri: string): ReadonlySet<Session> {
    return this.#watching.get(uri) ?? nobody
  }

  /** True when the session no longer watches the URI. */
  unsubscribe(connection: ConnectionId, uri: string): boolean {
    const session = this.#connections.get(connection)
    return session !== undefined && this.#unwatch(session, connection, uri)
  }

  sessionOf(connection: ConnectionId): Session | undefined {
    return this.#connections.get(connection)
  }

  #unwatch(session: Session, connection: ConnectionId, uri: string): boolean {
    const watchers = session.subscriptions.get(uri)
    if (watchers === undefined || !watchers.delete(connection) || watchers.size > 0) return false
    session.subscriptions.delete(uri)
    const sessions = this.#watching.get(uri)
    sessions?.delete(session)
    if (sessions?.size === 0) this.#watching.delete(uri)
    return true
  }
}

const nobody: ReadonlySet<Session> = new Set()
