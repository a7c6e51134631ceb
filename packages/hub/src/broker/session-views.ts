import type { SessionView } from '@callboard/protocol'
import { HeldViews } from '../pinning/held-views.js'
import type { ListScope } from '../port.js'
import type { Definition } from './definition.js'
import { sessionsMax } from './limits.js'
import type { OwnToolFault, OwnTools } from './own-tools.js'
import { everybodysSight, isHiding, Sight, Sights, type Statements, statementsOf } from './sight.js'

export const listScopes = ['session', 'principal'] as const satisfies readonly ListScope[]

/** Somebody has other lists now. */
export interface SightChange {
  readonly scope: ListScope
  /** The session or the principal. */
  readonly id: string
  readonly before: Sight
  readonly after: Sight
}

/** The instance of a worker that says what a session sees. */
export interface Sender {
  readonly service: string
  readonly instance: string
  /** The name of the key that it signed in by. */
  readonly key?: string | undefined
}

interface View {
  /** Undefined while the session has not come back after a restart of the hub. */
  principal: string | undefined
  /** By service: the instance whose word it is. */
  readonly senders: Map<string, string>
  sight: Sight
}

interface Principal {
  sessions: number
  /** By service and statement: of how many of the sessions it is; what came first stands first. */
  readonly counts: Map<string, Map<string, Count>>
  sight: Sight
  /** A statement was the first or the last of its kind. */
  mayDiffer: boolean
  /** What the sessions hide, all together: while it is 0 the number of sessions says nothing. */
  hidings: number
}

interface Count {
  sessions: number
  readonly definition: Definition | undefined
}

/** What single sessions see of a service other than everybody does, as its workers said. [CB-26] */
export class SessionViews {
  readonly #views = new Map<string, View>()
  /** Those that are judged again when an operator has accepted something. */
  readonly heldViews = new HeldViews()
  readonly #principals = new Map<string, Principal>()
  readonly #ownTools: OwnTools
  readonly #sights: Sights
  readonly #changed: (change: SightChange) => void

  constructor(ownTools: OwnTools, changed: (change: SightChange) => void) {
    this.#ownTools = ownTools
    this.#sights = new Sights(ownTools)
    this.#changed = changed
  }

  /** A session begins: its principal sees again what this one sees. */
  open(session: string, principal: string): void {
    const entry = this.#principals.get(principal) ?? newPrincipal()
    this.#principals.set(principal, entry)
    entry.sessions++
    const view = this.#views.get(session)
    if (view !== undefined) {
      view.principal = principal
      for (const service of view.sight.services) count(entry, service, view.sight.statementsOf(service), 1)
    }
    this.#settle(principal, entry)
  }

  /** A session is over; `principal`: whose it was, if it was ever opened. */
  close(session: string, principal: string | undefined): void {
    const view = this.#views.get(session)
    this.#forget(session)
    this.heldViews.dropWhere((held) => held.session === session)
    const entry = principal === undefined ? undefined : this.#principals.get(principal)
    if (principal === undefined || entry === undefined) return
    entry.sessions--
    const sight = view?.sight ?? everybodysSight
    for (const service of sight.services) count(entry, service, sight.statementsOf(service), -1)
    if (entry.sessions === 0) this.#principals.delete(principal)
    this.#settle(principal, entry)
  }

  /**
   * Takes in a view in place of the former; `principal`: the session's, if it lives. Returns what was wrong with own tools that
   * were left out, one by one; undefined when there are too many views, or they say too much.
   */
  set(
    sender: Sender,
    session: string,
    content: SessionView,
    principal: string | undefined,
  ): OwnToolFault[] | undefined {
    const known = this.#views.get(session)
    if (known === undefined && this.#views.size >= sessionsMax) return undefined
    const { accepted, faults, held } = this.#ownTools.judge(sender, content.tools ?? [])
    const view = known ?? { principal, senders: new Map<string, string>(), sight: everybodysSight }
    const statements = statementsOf(content, accepted)
    if (!this.#sights.hasRoom(statements, view.sight.statementsOf(sender.service))) return undefined
    const { service, instance, key } = sender
    this.heldViews.keep({ sender: { service, instance, key }, session, content, held })
    this.#replace(session, view, sender, statements)
    return faults
  }

  /** Ends what instances of a service said that are gone. */
  endOf(service: string, isThere: (instance: string) => boolean): void {
    this.heldViews.dropWhere(({ sender }) => sender.service === service && !isThere(sender.instance))
    for (const [session, view] of [...this.#views]) {
      const instance = view.senders.get(service)
      if (instance !== undefined && !isThere(instance)) this.#replace(session, view, { service, instance }, nothing)
    }
  }

  /** Forgets what sessions saw that did not come back. */
  keep(isAlive: (session: string) => boolean): void {
    this.heldViews.dropWhere(({ session }) => !isAlive(session))
    for (const session of [...this.#views.keys()]) if (!isAlive(session)) this.#forget(session)
  }

  sight(scope: ListScope, whose: { readonly session: string; readonly principal: string }): Sight {
    const entry = scope === 'session' ? this.#views.get(whose.session) : this.#principals.get(whose.principal)
    return entry?.sight ?? everybodysSight
  }

  /** Of a service's own tools, by the names that agents see: how many sessions have one. */
  ownCounts(service: string): Readonly<Record<string, number>> {
    return this.#sights.ownCounts(service)
  }

  /** The instance that says what the session sees of the service. */
  senderOf(service: string, session: string): string | undefined {
    return this.#views.get(session)?.senders.get(service)
  }

  #replace(session: string, view: View, { service, instance }: Sender, statements: Statements): void {
    const before = view.sight
    const all = new Map([...before.services].map((each) => [each, before.statementsOf(each)]))
    all.delete(service)
    view.senders.delete(service)
    if (statements.size > 0) {
      all.set(service, statements)
      view.senders.set(service, instance)
    }
    const after = this.#sights.take(all)
    this.#sights.giveBack(before)
    view.sight = after
    if (all.size > 0) this.#views.set(session, view)
    else this.#forget(session)
    this.#tell({ scope: 'session', id: session, before, after })
    const entry = view.principal === undefined ? undefined : this.#principals.get(view.principal)
    if (view.principal === undefined || entry === undefined) return
    // In this order what stays keeps its place.
    count(entry, service, after.statementsOf(service), 1)
    count(entry, service, before.statementsOf(service), -1)
    this.#settle(view.principal, entry)
  }

  #forget(session: string): void {
    const view = this.#views.get(session)
    if (view !== undefined) this.#sights.giveBack(view.sight)
    this.#views.delete(session)
  }

  #settle(id: string, entry: Principal): void {
    if (!entry.mayDiffer && entry.hidings === 0) return
    const before = entry.sight
    const after = new Sight(unionOf(entry))
    entry.sight = after
    entry.mayDiffer = false
    this.#tell({ scope: 'principal', id, before, after })
  }

  #tell(change: SightChange): void {
    if (change.before.key !== change.after.key) this.#changed(change)
  }
}

const nothing: Statements = new Map()

const newPrincipal = (): Principal => ({
  sessions: 0,
  counts: new Map(),
  sight: everybodysSight,
  mayDiffer: false,
  hidings: 0,
})

function count(principal: Principal, service: string, statements: Statements, by: 1 | -1): void {
  const { counts } = principal
  const known = counts.get(service) ?? new Map<string, Count>()
  for (const [statement, definition] of statements) {
    const entry = known.get(statement) ?? { sessions: 0, definition }
    if (entry.sessions === 0 || entry.sessions + by === 0) principal.mayDiffer = true
    if (isHiding(statement)) principal.hidings += by
    entry.sessions += by
    if (entry.sessions > 0) known.set(statement, entry)
    else known.delete(statement)
  }
  if (known.size > 0) counts.set(service, known)
  else counts.delete(service)
}

/** What all of the sessions hide, and what any of them shows or has. */
function unionOf({ counts, sessions }: Principal): Map<string, Statements> {
  const found = new Map<string, Statements>()
  for (const [service, known] of counts) {
    const statements = [...known]
      .filter(([statement, each]) => !isHiding(statement) || each.sessions === sessions)
      .map(([statement, { definition }]) => [statement, definition] as const)
    if (statements.length > 0) found.set(service, new Map(statements))
  }
  return found
}
