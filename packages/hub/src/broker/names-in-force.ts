import type { DefinitionKind, WorkerMethod } from '@callboard/protocol'
import { type Definition, literalPrefix } from './definition.js'
import { safeToolName } from './exposed-name.js'

/** The definition in force for each name, URI and template. */
export class NamesInForce {
  readonly #byKey: Readonly<Record<DefinitionKind, Map<string, Definition>>> = {
    tool: new Map(),
    resource: new Map(),
    resourceTemplate: new Map(),
    prompt: new Map(),
  }
  #characters = 0

  /** Of all of them, as JSON text. */
  get characters(): number {
    return this.#characters
  }

  add(definition: Definition): void {
    this.#byKey[definition.kind].set(definition.key, definition)
    this.#characters += definition.characters
  }

  drop(definition: Definition): void {
    if (this.#byKey[definition.kind].get(definition.key) !== definition) return
    this.#byKey[definition.kind].delete(definition.key)
    this.#characters -= definition.characters
  }

  /** What has the definition's name in its service now: itself, or what came in its place. */
  current({ kind, key, service }: Definition): Definition | undefined {
    const found = this.#byKey[kind].get(key)
    return found?.service === service ? found : undefined
  }

  /** The one that answers a call. */
  find(method: WorkerMethod, name: string): Definition | undefined {
    switch (method) {
      case 'tools/call':
        // Whoever knows a tool by its worker's own name may use that, too.
        return this.#byKey.tool.get(name) ?? this.#byKey.tool.get(safeToolName(name))
      case 'prompts/get':
        return this.#byKey.prompt.get(name)
      case 'resources/read':
        return this.#byKey.resource.get(name) ?? this.#templateFor(name)
      case 'completion/complete':
        return this.#byKey.prompt.get(name) ?? this.#byKey.resourceTemplate.get(name)
    }
  }

  /** The one that has what a service claims: the same name, or a part of the URI space around or within it. */
  conflictOf(kind: DefinitionKind, key: string, service: string): Definition | undefined {
    const same = this.#byKey[kind].get(key)
    if (same !== undefined) return same
    if (kind !== 'resourceTemplate' && kind !== 'resource') return undefined
    const claim = kind === 'resource' ? key : literalPrefix(key)
    for (const other of this.#byKey.resourceTemplate.values()) {
      if (other.service === service) continue
      const prefix = literalPrefix(other.key)
      if (claim.startsWith(prefix) || (kind === 'resourceTemplate' && prefix.startsWith(claim))) return other
    }
    return undefined
  }

  /** The template with the longest literal prefix; the worker decides whether the rest fits. */
  #templateFor(uri: string): Definition | undefined {
    let best: Definition | undefined
    let bestLength = -1
    for (const definition of this.#byKey.resourceTemplate.values()) {
      const prefix = literalPrefix(definition.key)
      if (prefix.length <= bestLength || !uri.startsWith(prefix)) continue
      best = definition
      bestLength = prefix.length
    }
    return best
  }
}
