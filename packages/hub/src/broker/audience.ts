import type { FromHub } from '@callboard/protocol'
import type { Identity, ListScope } from '../port.js'
import type { CallFlow } from './call-flow.js'
import type { CatalogueChanges } from './catalogue-changes.js'
import type { Definition } from './definition.js'
import type { Dispatcher } from './dispatcher.js'
import type { ConnectionId } from './events.js'
import { sessionLingerMs, sessionsMax } from './limits.js'
import type { WorkerPeer } from './peers.js'
import { listScopes } from './session-views.js'
import type { BrokerState } from './state.js'

const listOfKind = { tool: 'tools', resource: 'resources', resourceTemplate: 'resources', prompt: 'prompts' } as const
const lists = ['tools', 'resources', 'prompts'] as const
type List = (typeof lists)[number]

/** The agents' sessions: who is there, what they watch, what they and the workers must hear of each other. */
export class Audience {
  readonly #state: BrokerState
  readonly #dispatcher: Dispatcher
  readonly #flow: CallFlow

  constructor(state: BrokerState, dispatcher: Dispatcher, flow: CallFlow) {
    this.#state = state
    this.#dispatcher = dispatcher
    this.#flow = flow
  }

  open(connection: ConnectionId, identity: Identity): void {
    const { sessions } = this.#state
    // A flood of short sessions must not keep others out: those that only linger give way, oldest first.
    const lingering = sessions.isFull(identity.session, sessionsMax) ? sessions.oldestLingering() : undefined
    if (lingering !== undefined) this.#endLingering(lingering.id)
    if (sessions.isFull(identity.session, sessionsMax)) {
      // Not in the table: its calls are answered as those of a closed connection.
      return this.#state.counters.add('connections_refused', 'sessions_max')
    }
    const isNew = sessions.get(identity.session) === undefined
    sessions.open(connection, identity)
    if (isNew) this.#state.catalogue.views.open(identity.session, identity.principal)
    this.#state.unschedule('session_linger', identity.session)
  }

  close(connection: ConnectionId): void {
    const closed = this.#state.sessions.close(connection)
    if (closed === undefined) return
    const { session, unwatched } = closed
    this.#flow.connectionClosed(connection)
    for (const uri of unwatched) this.#tellWorkers(session.id, { type: 'unsubscribe', uri, session: session.id })
    if (session.connections.size === 0) this.#state.schedule('session_linger', session.id, sessionLingerMs)
  }

  /** Its agent said goodbye, so that there is nobody to wait for. */
  leave(connection: ConnectionId): void {
    const session = this.#state.sessions.sessionOf(connection)
    this.close(connection)
    if (session?.connections.size === 0) this.#endLingering(session.id)
  }

  /** Nobody came back: workers free what belonged to the session. */
  end(id: string): void {
    const { sessions, catalogue, peers } = this.#state
    const session = sessions.get(id)
    if (session !== undefined && session.connections.size > 0) return
    const principal = session?.identity.principal
    if (session !== undefined) sessions.end(session)
    catalogue.closeSession(id, principal)
    this.#flow.sessionEnded(id)
    const isLast =
      principal === undefined || [...sessions.values()].every((other) => other.identity.principal !== principal)
    this.#dispatcher.unbindSession(id, isLast ? principal : undefined)
    for (const worker of peers.workers()) {
      if (worker.sessions.delete(id)) this.#state.send(worker.peer, { type: 'session_closed', session: id })
    }
  }

  #endLingering(id: string): void {
    this.#state.unschedule('session_linger', id)
    this.end(id)
  }

  /** What the session stood on has ended, a token of its own: nobody can come back to it. */
  revokeSession(id: string): void {
    this.#expel([...(this.#state.sessions.get(id)?.connections ?? [])])
    this.#endLingering(id)
  }

  /** Ends the sessions, too, in which nobody is left: who had to leave can't come back. */
  revokeCredential(credential: string): void {
    const standing = [...this.#state.sessions.connections()].filter(
      ([, identity]) => identity.credential === credential,
    )
    this.#expel(standing.map(([connection]) => connection))
    for (const session of new Set(standing.map(([, identity]) => identity.session))) {
      if (this.#state.sessions.get(session)?.connections.size === 0) this.#endLingering(session)
    }
  }

  watch(connection: ConnectionId, uri: string): void {
    if (this.#state.sessions.subscribe(connection, uri)) this.#tellWatch('subscribe', connection, uri)
  }

  unwatch(connection: ConnectionId, uri: string): void {
    if (this.#state.sessions.unsubscribe(connection, uri)) this.#tellWatch('unsubscribe', connection, uri)
  }

  rootsChanged(connection: ConnectionId): void {
    const session = this.#state.sessions.sessionOf(connection)?.id
    if (session !== undefined) this.#tellWorkers(session, { type: 'roots_changed', session })
  }

  /** A worker speaks of its own resources only. [CB-54] */
  resourceUpdated(worker: WorkerPeer, uri: string, session: string | undefined): void {
    const { sessions, catalogue } = this.#state
    const connections: ConnectionId[] = []
    for (const watching of sessions.watching(uri)) {
      if (session !== undefined && watching.id !== session) continue
      for (const connection of watching.subscriptions.get(uri) ?? []) {
        // Connections of one session may have different rights.
        const identity = sessions.identityOf(connection)
        const definition = identity && catalogue.resolve('resources/read', uri, identity)
        if (definition?.service === worker.service) connections.push(connection)
      }
    }
    if (connections.length > 0) this.#state.emit({ type: 'resource_updated', connections, uri })
  }

  /** One notice for all changes since the last, to those whose own list changed. */
  tellLists(): void {
    const { catalogue, now } = this.#state
    const changes = catalogue.takeChanges()
    // There may be thousands of connections, but few for which different things exist.
    const existing = new Map<string, ByList>()
    for (const scope of listScopes) this.#tellScope(scope, changes, existing)
    if (changes.isToKeep) this.#state.emit({ type: 'catalogue_changed', services: catalogue.store(now) })
  }

  #tellScope(scope: ListScope, { definitions, own }: CatalogueChanges, existing: Map<string, ByList>): void {
    const { catalogue, sessions } = this.#state
    const told = { tools: new Set<number>(), resources: new Set<number>(), prompts: new Set<number>() }
    for (const [connection, identity] of sessions.connections()) {
      const key = catalogue.viewers.keyOf(identity)
      const changed = existing.get(key) ?? byList(definitions, (each) => catalogue.viewers.sees(each, identity))
      existing.set(key, changed)
      const sight = catalogue.views.sight(scope, identity)
      const ownChanges = own[scope].get(scope === 'session' ? identity.session : identity.principal) ?? noDefinitions
      const ownChanged = byList(ownChanges, (each) => catalogue.viewers.sees(each, identity))
      for (const list of lists) {
        const isSeen = changed[list].some((each) => sight.lists(each))
        if (isSeen || ownChanged[list].length > 0) told[list].add(connection)
      }
    }
    for (const list of lists) {
      if (told[list].size > 0)
        this.#state.emit({ type: 'list_changed', connections: [...told[list]], kind: list, scope })
    }
  }

  #expel(connections: readonly ConnectionId[]): void {
    for (const connection of connections) this.close(connection)
    if (connections.length > 0) this.#state.emit({ type: 'connections_ended', connections })
  }

  #tellWatch(type: 'subscribe' | 'unsubscribe', connection: ConnectionId, uri: string): void {
    const { sessions, catalogue, peers } = this.#state
    const session = sessions.sessionOf(connection)
    const definition = session && catalogue.resolve('resources/read', uri, session.identity)
    if (session === undefined || definition === undefined) return
    for (const worker of peers.of(definition.service).values()) {
      worker.sessions.add(session.id)
      this.#state.send(worker.peer, { type, uri, session: session.id })
    }
  }

  #tellWorkers(session: string, message: FromHub): void {
    for (const worker of this.#state.peers.workers()) {
      if (worker.sessions.has(session)) this.#state.send(worker.peer, message)
    }
  }
}

type ByList = Readonly<Record<List, readonly Definition[]>>

const noDefinitions: ReadonlySet<Definition> = new Set()

function byList(definitions: Iterable<Definition>, exists: (definition: Definition) => boolean): ByList {
  const found: Record<List, Definition[]> = { tools: [], resources: [], prompts: [] }
  for (const definition of definitions) if (exists(definition)) found[listOfKind[definition.kind]].push(definition)
  return found
}
