import type { CatalogueOptions } from './catalogue.js'
import { type Definition, define, formProblem, hashOf, isObject } from './definition.js'
import { exposedName } from './exposed-name.js'
import { definitionCharactersMax, ownCharactersMax } from './limits.js'
import type { NamesInForce } from './names-in-force.js'

/** Why a tool of a view is left out. */
export type OwnToolFault = 'invalid' | 'name_taken' | 'twice' | 'no_room'

interface Held {
  readonly definition: Definition
  sights: number
}

/** Tools that single sessions have of their own. Those of a thousand sessions that are equal are one. [CB-28] */
export class OwnTools {
  readonly #options: CatalogueOptions
  readonly #inForce: NamesInForce
  readonly #held = new Map<string, Held>()
  #characters = 0

  constructor(options: CatalogueOptions, inForce: NamesInForce) {
    this.#options = options
    this.#inForce = inForce
  }

  /** Each by itself: one that is left out costs the others nothing. */
  judge(service: string, tools: readonly unknown[]): { accepted: Definition[]; faults: OwnToolFault[] } {
    const accepted = new Map<string, Definition>()
    const faults: OwnToolFault[] = []
    let room = ownCharactersMax - this.#characters
    for (const tool of tools) {
      const judged = this.#judge(service, tool, room)
      if (typeof judged === 'string') faults.push(judged)
      else if (accepted.has(judged.key)) faults.push('twice')
      else {
        accepted.set(judged.key, judged)
        if (!this.#held.has(heldKey(judged))) room -= judged.characters
      }
    }
    return { accepted: [...accepted.values()], faults }
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
