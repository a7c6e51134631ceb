import type { CallId, RoutingFailure } from '@callboard/protocol'
import { openCallsMax } from './limits.js'
import { TransientMap } from './transient-map.js'

export type CallEnd = RoutingFailure

/** This worker's CALLs that wait for their RESULT. */
export class OpenCalls {
  readonly #parents = new TransientMap<string, CallId | undefined>()

  get size(): number {
    return this.#parents.size
  }

  get isFull(): boolean {
    return this.#parents.size >= openCallsMax
  }

  has(id: string): boolean {
    return this.#parents.has(id)
  }

  start(id: string, parent: CallId | undefined): void {
    this.#parents.set(id, parent)
  }

  /** False: nobody waits for it any more. */
  end(id: string): boolean {
    return this.#parents.delete(id)
  }

  endChildrenOf(parent: CallId): string[] {
    if (this.#parents.size === 0) return []
    const children = [...this.#parents].filter(([, of]) => of === parent).map(([id]) => id)
    for (const id of children) this.#parents.delete(id)
    return children
  }

  endAll(): string[] {
    const ids = [...this.#parents.keys()]
    this.#parents.clear()
    return ids
  }
}
