import type { DefinitionKind, SessionView } from '@callboard/protocol'
import type { Definition } from './definition.js'
import { sessionsMax } from './limits.js'

/** What single sessions do not see of a service's definitions, as its workers said. [CB-26] */
export class SessionViews {
  readonly #views = new Map<string, Map<string, SessionView>>()

  /** The kinds of which the session now sees something else; undefined when there are too many views. */
  set(service: string, session: string, view: SessionView): ReadonlySet<DefinitionKind> | undefined {
    // The session may be one that has not come back yet after a restart of the hub.
    if (!this.#views.has(session) && this.#views.size >= sessionsMax) return undefined
    const views = this.#views.get(session) ?? new Map<string, SessionView>()
    const before = views.get(service) ?? {}
    views.set(service, view)
    this.#views.set(session, views)
    const changed = new Set<DefinitionKind>()
    if (differ(before.hiddenTools, view.hiddenTools)) changed.add('tool')
    if (differ(before.hiddenPrompts, view.hiddenPrompts)) changed.add('prompt')
    if (differ(before.hiddenResources, view.hiddenResources)) changed.add('resource')
    return changed
  }

  has(session: string): boolean {
    return this.#views.has(session)
  }

  hides(session: string, definition: Definition): boolean {
    const view = this.#views.get(session)?.get(definition.service)
    switch (definition.kind) {
      case 'tool':
        return view?.hiddenTools?.includes(definition.workerKey) ?? false
      case 'prompt':
        return view?.hiddenPrompts?.includes(definition.workerKey) ?? false
      case 'resource':
      case 'resourceTemplate':
        return view?.hiddenResources?.includes(definition.workerKey) ?? false
    }
  }

  /** Forgets what sessions saw that no longer live. */
  keep(isAlive: (session: string) => boolean): void {
    for (const session of this.#views.keys()) if (!isAlive(session)) this.forget(session)
  }

  forget(session: string): void {
    this.#views.delete(session)
  }
}

function differ(before: readonly string[] = [], after: readonly string[] = []): boolean {
  return before.length !== after.length || before.some((name) => !after.includes(name))
}
