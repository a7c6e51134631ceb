import type { Caller, DefinitionKind } from '@callboard/protocol'
import type { Policy } from '../policy/policy.js'
import type { CatalogueView } from '../port.js'
import type { Definition, Listed } from './definition.js'
import { viewerListsMax } from './limits.js'
import { keyOf, type ToolFilter, ToolFilters } from './tool-filter.js'

/** For whom a list is made. */
export interface Viewer {
  readonly session: string
  readonly principal: string
  readonly roles: readonly string[]
  /** `worker:SERVICE` of the worker that looks for it. */
  readonly worker?: string
  /** Only these services exist for it; absent: all. */
  readonly services?: readonly string[]
  readonly view?: Pick<CatalogueView, 'filters'>
}

/** Who sees what. A list is made once per change of the catalogue and kind of viewer, not per question. */
export class ViewerLists {
  /** By kind and viewer; those that were asked for least recently give way. */
  readonly #lists = new Map<string, readonly Listed[]>()
  readonly #filters = new Map<string, ToolFilters>()
  /** The same filters by the very object, for every call. */
  readonly #known = new WeakMap<readonly ToolFilter[], ToolFilters>()
  #policy: Policy | undefined

  /** Undefined: nothing is hidden by one. */
  get policy(): Policy | undefined {
    return this.#policy
  }

  set policy(policy: Policy | undefined) {
    this.#policy = policy
    this.clear()
  }

  /** Forgets all lists, because a definition came, went or changed. */
  clear(): void {
    this.#lists.clear()
  }

  /** Whether it exists for the viewer. `uri`: what is read, which a template stands for. */
  sees(definition: Definition, viewer: Viewer, uri?: string): boolean {
    const { roles, services, view } = viewer
    if (services !== undefined && !services.includes(definition.service)) return false
    if (definition.roles?.some((role) => roles.includes(role)) === false) return false
    if (this.#policy !== undefined && this.#policy.decide(viewer, definition, uri).effect === 'hide') return false
    return view === undefined || definition.kind !== 'tool' || this.#filtersOf(view.filters).lets(definition)
  }

  /** `inSight`: all definitions that the sight of this key has, in order; asked for only where the list has to be made. */
  list(
    kind: DefinitionKind,
    viewer: Viewer,
    sightKey: string,
    inSight: () => readonly Definition[],
  ): readonly Listed[] {
    const key = `${kind} ${sightKey} ${this.keyOf(viewer)}`
    const list =
      this.#lists.get(key) ??
      inSight()
        .filter((each) => each.kind === kind && this.sees(each, viewer))
        .map(({ listed }) => listed)
    keepNewest(this.#lists, key, list)
    return list
  }

  /** The same for viewers who see the same, what their sessions hide aside. */
  keyOf(viewer: Viewer): string {
    const { roles, services, view } = viewer
    const filters = view === undefined || view.filters.length === 0 ? '' : this.#filtersOf(view.filters).key
    const rules = this.#policy?.profileKey(viewer) ?? ''
    return `${roles.join(' ')} ${services?.join(' ') ?? '*'} ${rules} ${filters}`
  }

  #filtersOf(filters: readonly ToolFilter[]): ToolFilters {
    const known = this.#known.get(filters)
    if (known !== undefined) return known
    const key = keyOf(filters)
    const made = this.#filters.get(key) ?? new ToolFilters(filters)
    keepNewest(this.#filters, key, made)
    this.#known.set(filters, made)
    return made
  }
}

/** Clients choose what they filter by: without a bound each choice would stay. */
function keepNewest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > viewerListsMax) map.delete(map.keys().next().value!)
}

/** What the agent at the root sees in another session of its own is no secret from the worker that acts for it. */
export function viewerOf(caller: Caller, services?: readonly string[]): Viewer {
  const viewer = { ...caller, principal: caller.onBehalfOf ?? caller.principal, worker: caller.principal }
  return services === undefined ? viewer : { ...viewer, services }
}
