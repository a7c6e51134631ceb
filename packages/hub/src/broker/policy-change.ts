import type { DefinitionKind } from '@callboard/protocol'
import type { Policy } from '../policy/policy.js'
import type { ListScope } from '../port.js'
import type { Definition, Listed } from './definition.js'
import type { ConnectionId } from './events.js'
import { listScopes } from './session-views.js'
import type { Session } from './sessions.js'
import type { BrokerState } from './state.js'

const listsOfKinds = { tools: ['tool'], resources: ['resource', 'resourceTemplate'], prompts: ['prompt'] } as const
const lists = ['tools', 'resources', 'prompts'] as const

/** Puts another policy into force. Those whose lists are others now are told; what runs goes on. */
export function changePolicy(state: BrokerState, policy: Policy | undefined): void {
  const before = new Seen(state)
  state.catalogue.viewers.policy = policy
  state.rates.keep(policy?.limits ?? [])
  const after = new Seen(state)
  for (const scope of listScopes) {
    for (const kind of lists) {
      const connections = [...state.sessions.connections()]
        .filter(([connection]) => !after.isAsIn(before, connection, scope, kind))
        .map(([connection]) => connection)
      if (connections.length > 0) state.emit({ type: 'list_changed', connections, kind, scope })
    }
  }
  for (const [session, uris] of after.watched) tellWatched(state, session, uris, before.watched.get(session))
}

type Watched = ReadonlyMap<string, Definition | undefined>

/** What there is for everybody at one moment. */
class Seen {
  readonly #lists = new Map<ConnectionId, ReadonlyMap<string, readonly Listed[]>>()
  /** By session and URI: what answers for it. */
  readonly watched = new Map<Session, Watched>()

  constructor({ sessions, catalogue }: BrokerState) {
    // There may be thousands of connections, but few for which different things exist.
    const made = new Map<string, readonly Listed[]>()
    for (const [connection, identity] of sessions.connections()) {
      const own = new Map<string, readonly Listed[]>()
      for (const scope of listScopes) {
        const { key } = catalogue.views.sight(scope, identity)
        for (const kind of Object.values(listsOfKinds).flat()) {
          const madeKey = JSON.stringify([kind, key, catalogue.viewers.keyOf(identity)])
          const list = made.get(madeKey) ?? catalogue.list(kind, identity, scope)
          made.set(madeKey, list)
          own.set(`${scope} ${kind}`, list)
        }
      }
      this.#lists.set(connection, own)
    }
    for (const session of sessions.values()) {
      const uris = [...session.subscriptions.keys()]
      const resolved = uris.map((uri) => [uri, catalogue.resolve('resources/read', uri, session.identity)] as const)
      this.watched.set(session, new Map(resolved))
    }
  }

  isAsIn(other: Seen, connection: ConnectionId, scope: ListScope, list: (typeof lists)[number]): boolean {
    return listsOfKinds[list].every((kind) =>
      isSame(this.#list(connection, scope, kind), other.#list(connection, scope, kind)),
    )
  }

  #list(connection: ConnectionId, scope: ListScope, kind: DefinitionKind): readonly Listed[] {
    return this.#lists.get(connection)?.get(`${scope} ${kind}`) ?? []
  }
}

function isSame(one: readonly Listed[], other: readonly Listed[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}

/** A worker need not say any more what nobody may hear, and has to say what somebody may. */
function tellWatched(state: BrokerState, session: Session, now: Watched, before: Watched | undefined): void {
  for (const [uri, definition] of now) {
    const former = before?.get(uri)
    if (former === definition) continue
    tell(state, 'unsubscribe', former, uri, session)
    tell(state, 'subscribe', definition, uri, session)
  }
}

function tell(
  state: BrokerState,
  type: 'subscribe' | 'unsubscribe',
  definition: Definition | undefined,
  uri: string,
  session: Session,
): void {
  if (definition === undefined) return
  for (const worker of state.peers.of(definition.service).values()) {
    worker.sessions.add(session.id)
    state.send(worker.peer, { type, uri, session: session.id })
  }
}
