import type { ListScope } from '../port.js'
import type { Definition } from './definition.js'
import { sessionsMax } from './limits.js'

/** What changed for whom, since it was last asked. */
export interface CatalogueChanges {
  /** For all who see them: as they were, and as they are. */
  readonly definitions: readonly Definition[]
  /** For one session or principal each. */
  readonly own: Readonly<Record<ListScope, ReadonlyMap<string, ReadonlySet<Definition>>>>
  /** Whether there is something new to keep for the next start: who offers what, or when it was last seen. */
  readonly isToKeep: boolean
}

/** Gathers changes until they are told. */
export class ChangeLog {
  isToKeep = false
  #definitions: Definition[] = []
  #own = nobodysChanges()

  get isEmpty(): boolean {
    const { session, principal } = this.#own
    return !this.isToKeep && this.#definitions.length === 0 && session.size === 0 && principal.size === 0
  }

  forAll(definitions: Iterable<Definition>): void {
    for (const definition of definitions) this.#definitions.push(definition)
  }

  forOne(scope: ListScope, id: string, definitions: Iterable<Definition>): void {
    const ids = this.#own[scope]
    const known = ids.get(id) ?? new Set()
    for (const definition of definitions) known.add(definition)
    if (known.size > 0 && (ids.has(id) || ids.size < sessionsMax)) ids.set(id, known)
  }

  forget(session: string): void {
    this.#own.session.delete(session)
  }

  take(): CatalogueChanges {
    const changes = { definitions: this.#definitions, own: this.#own, isToKeep: this.isToKeep }
    this.isToKeep = false
    this.#definitions = []
    this.#own = nobodysChanges()
    return changes
  }
}

const nobodysChanges = (): Record<ListScope, Map<string, Set<Definition>>> => ({
  session: new Map(),
  principal: new Map(),
})
