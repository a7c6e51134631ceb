import { namesRememberedMax } from '../limits.js'
import type { NameChanges } from '../runtime/runtime.js'

/** Top-level names that runs of one kernel have bound, as far as the runs themselves told; of very many the newest. */
export class NameList {
  #names: string[] = []

  get newestLast(): readonly string[] {
    return this.#names
  }

  apply({ added, changed, deleted }: NameChanges): void {
    const moved = new Set([...added, ...changed, ...deleted])
    this.#names = [...this.#names.filter((name) => !moved.has(name)), ...changed, ...added].slice(-namesRememberedMax)
  }

  clear(): void {
    this.#names = []
  }
}
