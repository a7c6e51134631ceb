import type { Connection, ConnectionListener, HubPort, Identity } from '../port.js'
import * as limits from './limits.js'
import { placeToTake } from './room.js'

/** One request's use of a connection that it may share with others of the same identity. */
export interface Lease {
  readonly connection: Connection
  /** For as long as the lease holds; `uris` are watched, and come to this listener as everything else does. */
  listen(listener: ConnectionListener, uris: readonly string[]): void
  release(): void
}

interface Shared {
  readonly key: string
  readonly identity: Identity
  readonly connection: Connection
  readonly listeners: Set<ConnectionListener>
  readonly watched: Map<string, number>
  /** Leases. */
  open: number
  idleSince: number
}

/**
 * The connections of clients without a session. A request opens and closes nothing in the hub: what it has suspended must
 * find its connection again when the client comes back with input, and a session ends only after an idle time.
 */
export class SharedConnections {
  readonly #hub: HubPort
  readonly #now: () => number
  readonly #byIdentity = new Map<string, Shared>()

  constructor(hub: HubPort, now: () => number = Date.now) {
    this.#hub = hub
    this.#now = now
  }

  get size(): number {
    return this.#byIdentity.size
  }

  /** @throws TooBusyError */
  acquire(identity: Identity): Lease {
    const shared = this.#sharedBy(identity)
    shared.open += 1
    return leaseOf(shared, () => {
      shared.open -= 1
      shared.idleSince = this.#now()
    })
  }

  /** Closes what nobody has used for long. */
  sweep(): void {
    for (const shared of this.#byIdentity.values()) {
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

  #end({ key, connection }: Shared): void {
    this.#byIdentity.delete(key)
    connection.close()
  }

  #sharedBy(identity: Identity): Shared {
    const { session, principal, roles, group, services, view, run } = identity
    const key = JSON.stringify([session, principal, roles, group, services, view, run])
    const known = this.#byIdentity.get(key)
    if (known !== undefined) return known
    this.#makeRoom(principal)
    const listeners = new Set<ConnectionListener>()
    const connection = this.#hub.open(identity, {
      listChanged: (kind, scope) => {
        for (const listener of listeners) listener.listChanged(kind, scope)
      },
      resourceUpdated: (uri) => {
        for (const listener of listeners) listener.resourceUpdated(uri)
      },
    })
    const shared = { key, identity, connection, listeners, watched: new Map(), open: 0, idleSince: this.#now() }
    this.#byIdentity.set(key, shared)
    return shared
  }
}

function leaseOf(shared: Shared, onRelease: () => void): Lease {
  let ends: (() => void)[] = [onRelease]
  return {
    connection: shared.connection,
    listen: (listener, uris) => {
      shared.listeners.add(listener)
      ends.push(() => shared.listeners.delete(listener))
      for (const uri of new Set(uris)) {
        watch(shared, uri)
        ends.push(() => unwatch(shared, uri))
      }
    },
    release: () => {
      for (const end of ends) end()
      ends = []
    },
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
