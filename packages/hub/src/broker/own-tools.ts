import type { HeldDefinition, Pinning } from '../pinning/pinning.js'
import type { Offerer } from '../pinning/worker-identity.js'
import type { CatalogueOptions } from './catalogue-options.js'
import { type Definition, define, formProblem, hashOf, isObject } from './definition.js'
import { exposedName } from './exposed-name.js'
import { definitionCharactersMax, ownCharactersMax } from './limits.js'
import type { NamesInForce } from './names-in-force.js'

/** Why a tool of a view is left out. */
export type OwnToolFault = 'invalid' | 'name_taken' | 'twice' | 'no_room' | 'held_back'

export interface JudgedTools {
  readonly accepted: Definition[]
  /** Of those that are left out, one by one. */
  readonly faults: OwnToolFault[]
  /** Those of them that no operator has accepted. */
  readonly held: HeldDefinition[]
}

interface Held {
  readonly definition: Definition
  sights: number
}

/** Tools that single sessions have of their own. Those of a thousand sessions that are equal are one. [CB-28] */
export class OwnTools {
  readonly #options: CatalogueOptions
  readonly #inForce: NamesInForce
  readonly #pinning: Pinning
  readonly #held = new Map<string, Held>()
  #characters = 0

  constructor(options: CatalogueOptions, inForce: NamesInForce, pinning: Pinning) {
    this.#options = options
    this.#pinning = pinning
    this.#inForce = inForce
  }

  /** Each by itself: one that is left out costs the others nothing. */
  judge(offerer: Offerer, tools: readonly unknown[]): JudgedTools {
    const { service } = offerer
    const accepted = new Map<string, Definition>()
    const faults: OwnToolFault[] = []
    const held: HeldDefinition[] = []
    let room = ownCharactersMax - this.#characters
    for (const tool of tools) {
      const judged = this.#judge(service, tool, room)
      const heldForm = typeof judged === 'string' ? undefined : this.#pinning.heldOwn(offerer, judged)
      if (heldForm !== undefined) held.push(heldForm)
      if (typeof judged === 'string') faults.push(judged)
      else if (heldForm !== undefined) faults.push('held_back')
      else if (accepted.has(judged.key)) faults.push('twice')
      else {
        accepted.set(judged.key, judged)
        if (!this.#held.has(heldKey(judged))) room -= judged.characters
      }
    }
    return { accepted: [...accepted.values()], faults, held }
  }

  /** Keeps them in mind, so that they are not judged again. */
  hold(definitions: Iterable<Definition>): void {
    for (const definition of definitions) {
      const held = this.#held.get(heldKey(definition)) ?? { definition, sights: 0 }
      if (held.sights === 0) this.#characters += definition.characters
      held.sights++
      this.#held.set(heldKey(definition), held)
    }
  }

  release(definitions: Iterable<Definition>): void {
    for (const definition of definitions) {
      const held = this.#held.get(heldKey(definition))
      if (held === undefined || --held.sights > 0) continue
      this.#characters -= definition.characters
      this.#held.delete(heldKey(definition))
    }
  }

  #judge(service: string, value: unknown, room: number): Definition | OwnToolFault {
    if (!isObject(value) || typeof value['name'] !== 'string') return 'invalid'
    const text = JSON.stringify(value)
    const key = exposedName('tool', service, value['name'], this.#options.namespace)
    const holder = this.#inForce.conflictOf('tool', key, service)
    if (holder !== undefined && holder.service !== service) return 'name_taken'
    const known = this.#held.get(heldKey({ service, hash: hashOf(text, key) }))?.definition
    if (known !== undefined) return known
    const candidate = { kind: 'tool', key: value['name'], value } as const
    if (text.length > definitionCharactersMax || formProblem(candidate) !== undefined) return 'invalid'
    if (this.#options.inspect('tool', value) !== undefined) return 'invalid'
    return text.length > room ? 'no_room' : { ...define(candidate, service, key, text), own: true }
  }
}

const heldKey = ({ service, hash }: Pick<Definition, 'service' | 'hash'>): string => `${service} ${hash}`
