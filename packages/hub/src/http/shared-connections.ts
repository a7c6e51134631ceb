import { TransientMap } from '@callboard/protocol'
import type { Connection, ConnectionListener, HubPort, Identity } from '../port.js'
import * as limits from './limits.js'
import { placeToTake } from './room.js'
import { laterOf, standingOf } from './standing.js'

/** One request's use of a connection that it may share with others of the same identity. */
export interface Lease {
  readonly connection: Connection
  /** For as long as the lease holds; `uris` are watched, and come to this listener as everything else does. */
  listen(listener: Omit<ConnectionListener, 'ended'>, uris: readonly string[]): void
  /** What to do when the connection is closed before the lease is released. */
  onEnded(end: () => void): void
  release(): void
}

interface Shared {
  readonly key: string
  readonly identity: Identity
  readonly connection: Connection
  readonly listeners: Set<Omit<ConnectionListener, 'ended'>>
  readonly watched: Map<string, number>
  /** Those that hold. */
  readonly leases: TransientMap<OpenLease, true>
  /** How many they are. */
  open: number
  idleSince: number
  until: number | undefined
}

/**
 * The connections of clients without a session. A request opens and closes nothing in the hub: what it has suspended must
 * find its connection again when the client comes back with input, and a session ends only after an idle time.
 */
export class SharedConnections {
  readonly #hub: HubPort
  readonly #now: () => number
  readonly #byIdentity = new Map<string, Shared>()
  /** What was found for the same object before: most requests of one client bring the same. */
  readonly #found = new WeakMap<Identity, Shared>()

  constructor(hub: HubPort, now: () => number = Date.now) {
    this.#hub = hub
    this.#now = now
  }

  get size(): number {
    return this.#byIdentity.size
  }

  /** Those that no request uses now: each is kept for a client that may come back. */
  get keptCount(): number {
    return [...this.#byIdentity.values()].filter(({ open }) => open === 0).length
  }

  /** @throws TooBusyError */
  acquire(identity: Identity): Lease {
    const shared = this.#sharedBy(identity)
    shared.until = laterOf(shared.until, identity.until)
    return new OpenLease(shared, this.#now)
  }

  /** Closes what nobody has used for long, and what nobody has renewed. */
  sweep(): void {
    for (const shared of this.#byIdentity.values()) {
      if (shared.until !== undefined && this.#now() >= shared.until) this.#end(shared)
      const idle = this.#now() - shared.idleSince
      if (shared.open === 0 && idle >= limits.sharedConnectionIdleMs) this.#end(shared)
    }
  }

  close(): void {
    for (const shared of this.#byIdentity.values()) shared.connection.close()
    this.#byIdentity.clear()
  }

  #makeRoom(principal: string): void {
    const room = { placesMax: limits.sharedConnectionsMax, principalPlacesMax: limits.principalPlacesMax }
    const taken = placeToTake(this.#byIdentity.values(), principal, room)
    if (taken !== undefined) this.#end(taken)
  }

  #end({ key, connection, leases }: Shared): void {
    if (!this.#byIdentity.delete(key)) return
    connection.close()
    for (const lease of [...leases.keys()]) lease.ended()
  }

  #sharedBy(identity: Identity): Shared {
    const found = this.#found.get(identity)
    if (found !== undefined && this.#byIdentity.get(found.key) === found) return found
    const key = JSON.stringify([standingOf(identity), identity.view])
    const shared = this.#byIdentity.get(key) ?? this.#open(key, identity)
    this.#found.set(identity, shared)
    return shared
  }

  #open(key: string, identity: Identity): Shared {
    this.#makeRoom(identity.principal)
    const listeners: Shared['listeners'] = new Set()
    const connection = this.#hub.open(identity, {
      listChanged: (kind, scope) => {
        for (const listener of listeners) listener.listChanged(kind, scope)
      },
      resourceUpdated: (uri) => {
        for (const listener of listeners) listener.resourceUpdated(uri)
      },
      ended: () => this.#end(shared),
    })
    const shared: Shared = {
      key,
      identity,
      connection,
      listeners,
      watched: new Map(),
      leases: new TransientMap(),
      open: 0,
      idleSince: this.#now(),
      until: identity.until,
    }
    this.#byIdentity.set(key, shared)
    return shared
  }
}

class OpenLease implements Lease {
  readonly #shared: Shared
  readonly #now: () => number
  /** What to do with it when the connection is closed. */
  #end: (() => void) | undefined
  /** What ends what it listens to. */
  #silence: (() => void) | undefined
  #isOver = false

  constructor(shared: Shared, now: () => number) {
    this.#shared = shared
    this.#now = now
    this.#end = undefined
    this.#silence = undefined
    shared.leases.set(this, true)
    shared.open += 1
  }

  get connection(): Connection {
    return this.#shared.connection
  }

  listen(listener: Omit<ConnectionListener, 'ended'>, uris: readonly string[]): void {
    const shared = this.#shared
    const watched = [...new Set(uris)]
    const before = this.#silence
    shared.listeners.add(listener)
    for (const uri of watched) watch(shared, uri)
    this.#silence = () => {
      before?.()
      shared.listeners.delete(listener)
      for (const uri of watched) unwatch(shared, uri)
    }
  }

  onEnded(end: () => void): void {
    this.#end = end
  }

  /** The connection is closed. */
  ended(): void {
    this.#end?.()
  }

  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#shared.leases.delete(this)
    this.#shared.open -= 1
    this.#shared.idleSince = this.#now()
    this.#silence?.()
  }
}

function watch({ connection, watched }: Shared, uri: string): void {
  const count = watched.get(uri) ?? 0
  watched.set(uri, count + 1)
  if (count === 0) connection.subscribe(uri)
}

function unwatch({ connection, watched }: Shared, uri: string): void {
  const count = (watched.get(uri) ?? 0) - 1
  if (count > 0) watched.set(uri, count)
  else {
    watched.delete(uri)
    connection.unsubscribe(uri)
  }
}
