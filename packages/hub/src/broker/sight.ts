import { createHash } from 'node:crypto'
import type { SessionView } from '@callboard/protocol'
import type { Definition } from './definition.js'
import { viewsWeightMax } from './limits.js'
import type { OwnTools } from './own-tools.js'

/**
 * What a view says of one service, taken apart so that it can be counted: `hide tool x`, `show tool x`, and `own …` with the
 * definition, the earlier one first.
 */
export type Statements = ReadonlyMap<string, Definition | undefined>

/** What one session, or a principal in any of its sessions, has in its lists. */
export class Sight {
  /** The same for those who have the same, and no other. */
  readonly key: string
  /** About the bytes that it takes, without the own tools. */
  readonly weight: number
  readonly #byService: ReadonlyMap<string, Statements>
  /** By service and name. */
  readonly #own = new Map<string, Definition>()

  constructor(byService: ReadonlyMap<string, Statements>) {
    this.#byService = byService
    this.key = keyOf(byService)
    this.weight = [...byService.values()].reduce((sum, statements) => sum + weightOf(statements), 0)
    for (const statements of byService.values()) {
      for (const definition of statements.values()) {
        // Of two that are called the same, the one that was there first.
        if (definition !== undefined && !this.#own.has(ownKey(definition))) {
          this.#own.set(ownKey(definition), definition)
        }
      }
    }
  }

  statementsOf(service: string): Statements {
    return this.#byService.get(service) ?? noStatements
  }

  /** Those of which it does not have what everybody has. */
  get services(): Iterable<string> {
    return this.#byService.keys()
  }

  get hasOwn(): boolean {
    return this.#own.size > 0
  }

  /** Tools that only its sessions have, one for each service and name. */
  get own(): Iterable<Definition> {
    return this.#own.values()
  }

  /** The own tools of that name, by services. */
  ownCalled(key: string): Definition[] {
    return [...this.#byService.keys()].flatMap((service) => this.#own.get(ownKey({ service, key })) ?? [])
  }

  /** Whether a definition that a service has for everybody is in these lists; an own tool stands in its place. */
  lists({ kind, key, service, viewName, onlyShown }: Definition): boolean {
    const statements = this.#byService.get(service)
    const isListed = onlyShown !== true
    if (statements === undefined) return isListed
    if (kind === 'tool' && this.#own.has(ownKey({ service, key }))) return false
    return (isListed || statements.has(`show ${viewName}`)) && !statements.has(`hide ${viewName}`)
  }
}

const noStatements: Statements = new Map()

/** What those see of whom no view speaks. */
export const everybodysSight = new Sight(new Map())

/** The sights of sessions, of which those of a thousand that see the same are one. */
export class Sights {
  readonly #held = new Map<string, { readonly sight: Sight; sessions: number }>()
  readonly #ownTools: OwnTools
  #weight = 0

  constructor(ownTools: OwnTools) {
    this.#ownTools = ownTools
  }

  /** Whether what a session sees of a service may take the place of what it saw. */
  hasRoom(statements: Statements, former: Statements): boolean {
    const weight = weightOf(statements)
    return weight <= weightOf(former) || this.#weight + weight <= viewsWeightMax
  }

  /** For one session more. */
  take(byService: ReadonlyMap<string, Statements>): Sight {
    if (byService.size === 0) return everybodysSight
    const sight = new Sight(byService)
    const held = this.#held.get(sight.key) ?? { sight, sessions: 0 }
    if (held.sessions === 0) {
      this.#ownTools.hold(sight.own)
      this.#weight += sight.weight
    }
    held.sessions++
    this.#held.set(sight.key, held)
    return held.sight
  }

  /** For one session less. */
  giveBack({ key }: Sight): void {
    const held = this.#held.get(key)
    if (held === undefined || --held.sessions > 0) return
    this.#held.delete(key)
    this.#ownTools.release(held.sight.own)
    this.#weight -= held.sight.weight
  }

  /** Of a service's own tools, by the names that agents see: how many sessions have one. */
  ownCounts(service: string): Readonly<Record<string, number>> {
    const counts = new Map<string, number>()
    for (const { sight, sessions } of this.#held.values()) {
      for (const { service: owner, key } of sight.own) {
        if (owner === service) counts.set(key, (counts.get(key) ?? 0) + sessions)
      }
    }
    return Object.fromEntries(counts)
  }
}

/** `own`: the view's tools, as they were judged. What a view shows and hides it hides. */
export function statementsOf(view: SessionView, own: readonly Definition[]): Statements {
  const { hiddenTools = [], hiddenPrompts = [], hiddenResources = [], shownTools = [] } = view
  const hidden = [
    ...hiddenTools.map((name) => viewName('tool', name)),
    ...hiddenPrompts.map((name) => viewName('prompt', name)),
    ...hiddenResources.map((uri) => viewName('resource', uri)),
  ]
  const notShown = new Set(hidden)
  const shown = shownTools.map((name) => viewName('tool', name)).filter((name) => !notShown.has(name))
  return new Map([
    ...hidden.map((name) => [`hide ${name}`, undefined] as const),
    ...shown.map((name) => [`show ${name}`, undefined] as const),
    ...own.map((definition) => [`own ${definition.hash}`, definition] as const),
  ])
}

export const isHiding = (statement: string): boolean => statement.startsWith('hide ')

/** A template is hidden as a resource is. */
export function viewName(kind: Definition['kind'], workerKey: string): string {
  return `${kind === 'resourceTemplate' ? 'resource' : kind} ${workerKey}`
}

/** An entry costs more than a short name. */
const statementWeight = 64

function weightOf(statements: Statements): number {
  let weight = 0
  for (const statement of statements.keys()) weight += statementWeight + statement.length
  return weight
}

const ownKey = ({ service, key }: Pick<Definition, 'service' | 'key'>): string => `${service} ${key}`

function keyOf(byService: ReadonlyMap<string, Statements>): string {
  if (byService.size === 0) return ''
  const said = [...byService].map(([service, statements]) => [service, ...statements.keys()]).sort(byFirst)
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url')
}

const byFirst = ([one]: readonly string[], [other]: readonly string[]): number => (one! < other! ? -1 : 1)

/** What one sight lists and the other does not. */
export function otherwiseIn(
  before: Sight,
  after: Sight,
  definitionsOf: (service: string) => readonly Definition[],
): Definition[] {
  const services = new Set([...before.services, ...after.services])
  const shared = [...services].flatMap((service) => definitionsOf(service))
  const [owned, owns] = [new Set(before.own), new Set(after.own)]
  return [
    ...shared.filter((definition) => before.lists(definition) !== after.lists(definition)),
    ...[...owned].filter((definition) => !owns.has(definition)),
    ...[...owns].filter((definition) => !owned.has(definition)),
  ]
}
