import type { DefinitionKind, Definitions } from '@callboard/protocol'
import type { CatalogueOptions } from '../broker/catalogue-options.js'
import { type Candidate, candidates, type Definition, define, formProblem, hashOf } from '../broker/definition.js'
import { exposedName } from '../broker/exposed-name.js'
import { definitionCharactersMax, definitionsPerServiceMax } from '../broker/limits.js'
import { definitionHash, type ShownDefinition } from './definition-hash.js'
import { heldLogMs, heldNamesLoggedMax, heldToldMax } from './limits.js'
import { acceptanceOf, type Offerer, workerIdentity } from './worker-identity.js'

/** A definition that no operator has accepted yet. */
export interface HeldDefinition extends ShownDefinition {
  readonly identity: string
  readonly service: string
  readonly kind: DefinitionKind
  /** As agents would see it. */
  readonly name: string
  readonly workerKey: string
  readonly hash: string
  /** Its JSON text's length. */
  readonly characters: number
  /** Of single sessions. */
  readonly own: boolean
}

/** Those of one worker, by {@link heldKey}. */
export type HeldDefinitions = ReadonlyMap<string, HeldDefinition>

/** What is told of definitions that are newly held: `names` are some of them. */
export interface HeldNews {
  readonly service: string
  readonly identity: string
  readonly names: readonly string[]
  readonly count: number
}

export const heldKey = (kind: DefinitionKind, hash: string): string => `${kind} ${hash}`

export const nothingHeld: HeldDefinitions = new Map()

/** Judges whether an operator accepted exactly what a worker offers. It knows of acceptances only what it is told. */
export class Pinning {
  readonly #options: CatalogueOptions
  readonly #newlyHeld: (news: HeldNews) => void
  /** Undefined: pinning is off. */
  #accepted: ReadonlySet<string> | undefined
  readonly #told = new Set<string>()
  readonly #toldAt = new Map<string, number>()

  constructor(options: CatalogueOptions, newlyHeld: (news: HeldNews) => void) {
    this.#options = options
    this.#newlyHeld = newlyHeld
  }

  /** From here on: `accepted` by {@link acceptanceOf}; undefined: everything is in force. */
  accept(accepted: ReadonlySet<string> | undefined): void {
    this.#accepted = accepted
  }

  /** Those that are well formed and not accepted: what is ill formed is refused for that. */
  heldOf(offerer: Offerer & { readonly definitions: Definitions }): HeldDefinitions {
    if (this.#accepted === undefined) return nothingHeld
    const held = new Map<string, HeldDefinition>()
    for (const candidate of candidates(offerer.definitions)) {
      const text = JSON.stringify(candidate.value)
      const key = exposedName(candidate.kind, offerer.service, candidate.key, this.#options.namespace)
      const found = this.#heldForm(offerer, define(candidate, offerer.service, key, text))
      if (found === undefined || this.#isIllFormed(candidate, text)) continue
      held.set(heldKey(candidate.kind, hashOf(text, key)), found)
      if (held.size >= definitionsPerServiceMax) break
    }
    return held
  }

  /** Of a tool of single sessions that is well formed; undefined: it may be in force. */
  heldOwn(offerer: Offerer, definition: Definition): HeldDefinition | undefined {
    const found = this.#heldForm(offerer, definition)
    return found && { ...found, own: true }
  }

  /** Tells of those that were not told of before, at most so often for a service. */
  tell(service: string, held: Iterable<HeldDefinition>, now: number): void {
    if (now - (this.#toldAt.get(service) ?? Number.NEGATIVE_INFINITY) < heldLogMs) return
    const fresh = [...held].filter((each) => !this.#told.has(toldKey(each)))
    const [first] = fresh
    if (first === undefined) return
    keepNewest(this.#toldAt, service, now)
    for (const each of fresh) {
      this.#told.add(toldKey(each))
      if (this.#told.size > heldToldMax) this.#told.delete(this.#told.values().next().value!)
    }
    const names = fresh.slice(0, heldNamesLoggedMax).map(({ name }) => name.slice(0, 128))
    this.#newlyHeld({ service, identity: first.identity, names, count: fresh.length })
  }

  #heldForm(offerer: Offerer, definition: Definition): HeldDefinition | undefined {
    if (this.#accepted === undefined) return undefined
    const { kind, key, workerKey, service, listed, roles, characters } = definition
    const identity = workerIdentity(offerer)
    const hash = definitionHash(definition)
    if (this.#accepted.has(acceptanceOf(identity, service, hash))) return undefined
    const shown = { kind, listed, ...(roles !== undefined && { roles }) }
    return { ...shown, identity, service, name: key, workerKey, hash, characters, own: false }
  }

  #isIllFormed(candidate: Candidate, text: string): boolean {
    if (text.length > definitionCharactersMax || formProblem(candidate) !== undefined) return true
    return this.#options.inspect(candidate.kind, candidate.value) !== undefined
  }
}

const toldKey = ({ identity, service, hash }: HeldDefinition): string => acceptanceOf(identity, service, hash)

function keepNewest(map: Map<string, number>, key: string, value: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > heldToldMax) map.delete(map.keys().next().value!)
}
