import type { SessionView } from '@callboard/protocol'
import type { ListScope } from '../port.js'
import type { Definition } from './definition.js'
import { sessionsMax } from './limits.js'

export const listScopes = ['session', 'principal'] as const satisfies readonly ListScope[]

/** What one session, or a principal in every one of its sessions, does not see. */
export interface Hidden {
  /** Another one for anything else that is hidden. */
  readonly serial: number
  has(definition: Definition): boolean
}

/** Names of one service that somebody sees now and did not before, or the other way round. */
export interface ViewChange {
  readonly scope: ListScope
  /** The session or the principal. */
  readonly id: string
  readonly service: string
  readonly names: Names
}

interface View {
  /** Undefined while the session has not come back after a restart of the hub. */
  principal: string | undefined
  /** By service: the hidden names. */
  readonly services: Map<string, Names>
  serial: number
}

type Names = ReadonlySet<string>

interface Principal {
  sessions: number
  /** By service and name: how many of the sessions do not see it. */
  readonly hiddenBy: Map<string, Map<string, number>>
  /** By service: what none of them sees. */
  hidden: ReadonlyMap<string, Names>
  serial: number
}

/** What single sessions do not see of a service's definitions, as its workers said. [CB-26] */
export class SessionViews {
  readonly #views = new Map<string, View>()
  readonly #principals = new Map<string, Principal>()
  #serial = 0

  /** A session begins: its principal sees again what this one sees. */
  open(session: string, principal: string): ViewChange[] {
    const entry = this.#principals.get(principal) ?? { sessions: 0, hiddenBy: new Map(), hidden: new Map(), serial: 0 }
    this.#principals.set(principal, entry)
    entry.sessions++
    const view = this.#views.get(session)
    if (view !== undefined) {
      view.principal = principal
      for (const [service, names] of view.services) count(entry, service, names, 1)
    }
    return this.#settle(principal, entry)
  }

  /** A session is over; `principal`: whose it was, if it was ever opened. */
  close(session: string, principal: string | undefined): ViewChange[] {
    const view = this.#views.get(session)
    this.#views.delete(session)
    const entry = principal === undefined ? undefined : this.#principals.get(principal)
    if (principal === undefined || entry === undefined) return []
    entry.sessions--
    for (const [service, names] of view?.services ?? []) count(entry, service, names, -1)
    if (entry.sessions === 0) this.#principals.delete(principal)
    return this.#settle(principal, entry)
  }

  /** `principal`: the session's, if it lives. Returns what changed for whom; undefined when there are too many views. */
  set(service: string, session: string, content: SessionView, principal: string | undefined): ViewChange[] | undefined {
    const known = this.#views.get(session)
    if (known === undefined && this.#views.size >= sessionsMax) return undefined
    const view = known ?? { principal, services: new Map<string, Names>(), serial: 0 }
    const before = view.services.get(service) ?? nothing
    const after = namesOf(content)
    if (after.size > 0) view.services.set(service, after)
    else view.services.delete(service)
    if (view.services.size > 0) this.#views.set(session, view)
    else this.#views.delete(session)
    view.serial = ++this.#serial
    const change: ViewChange = { scope: 'session', id: session, service, names: difference(before, after) }
    const entry = view.principal === undefined ? undefined : this.#principals.get(view.principal)
    if (view.principal === undefined || entry === undefined) return [change]
    count(entry, service, before, -1)
    count(entry, service, after, 1)
    return [change, ...this.#settle(view.principal, entry)]
  }

  /** Undefined: nothing is hidden. */
  hidden(scope: ListScope, whose: { readonly session: string; readonly principal: string }): Hidden | undefined {
    return scope === 'session' ? this.#ofSession(whose.session) : this.#ofPrincipal(whose.principal)
  }

  /** Forgets what sessions saw that did not come back. */
  keep(isAlive: (session: string) => boolean): void {
    for (const session of this.#views.keys()) if (!isAlive(session)) this.#views.delete(session)
  }

  #ofSession(session: string): Hidden | undefined {
    const view = this.#views.get(session)
    if (view === undefined) return undefined
    const { services, serial } = view
    return { serial, has: ({ service, viewName: name }) => services.get(service)?.has(name) === true }
  }

  #ofPrincipal(principal: string): Hidden | undefined {
    const entry = this.#principals.get(principal)
    if (entry === undefined || entry.hidden.size === 0) return undefined
    const { hidden, serial } = entry
    return { serial, has: ({ service, viewName: name }) => hidden.get(service)?.has(name) === true }
  }

  /** What the principal sees in another way than before. */
  #settle(id: string, entry: Principal): ViewChange[] {
    const before = entry.hidden
    if (before.size === 0 && entry.hiddenBy.size === 0) return []
    entry.hidden = hiddenEverywhere(entry)
    const changes = [...new Set([...before.keys(), ...entry.hidden.keys()])].flatMap((service) => {
      const names = difference(before.get(service) ?? nothing, entry.hidden.get(service) ?? nothing)
      return names.size === 0 ? [] : [{ scope: 'principal' as const, id, service, names }]
    })
    if (changes.length > 0) entry.serial = ++this.#serial
    return changes
  }
}

const nothing: Names = new Set()

function count({ hiddenBy }: Principal, service: string, names: Names, by: 1 | -1): void {
  const counts = hiddenBy.get(service) ?? new Map<string, number>()
  for (const name of names) {
    const sum = (counts.get(name) ?? 0) + by
    if (sum > 0) counts.set(name, sum)
    else counts.delete(name)
  }
  if (counts.size > 0) hiddenBy.set(service, counts)
  else hiddenBy.delete(service)
}

function hiddenEverywhere({ hiddenBy, sessions }: Principal): Map<string, Names> {
  const found = new Map<string, Names>()
  for (const [service, counts] of hiddenBy) {
    const names = [...counts].filter(([, sum]) => sum === sessions).map(([name]) => name)
    if (names.length > 0) found.set(service, new Set(names))
  }
  return found
}

/** In one of the two and not in the other. */
function difference(one: Names, other: Names): Names {
  return new Set([...[...one].filter((name) => !other.has(name)), ...[...other].filter((name) => !one.has(name))])
}

/** A template is hidden as a resource is. */
export function viewName(kind: Definition['kind'], workerKey: string): string {
  return `${kind === 'resourceTemplate' ? 'resource' : kind} ${workerKey}`
}

function namesOf({ hiddenTools = [], hiddenPrompts = [], hiddenResources = [] }: SessionView): Names {
  return new Set([
    ...hiddenTools.map((name) => viewName('tool', name)),
    ...hiddenPrompts.map((name) => viewName('prompt', name)),
    ...hiddenResources.map((uri) => viewName('resource', uri)),
  ])
}
