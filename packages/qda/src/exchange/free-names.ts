/** Names that are not taken yet. `keyOf` gives the same for two names that can't stand beside each other. */
export class FreeNames {
  readonly #keyOf: (name: string) => string
  readonly #hasEnding: boolean
  readonly #taken: Set<string>
  /** Of a name that is taken, the number to try next: many things may have the same name. */
  readonly #next = new Map<string, number>()

  constructor(taken: Iterable<string>, keyOf: (name: string) => string, ending: 'with ending' | 'plain' = 'plain') {
    this.#keyOf = keyOf
    this.#hasEnding = ending === 'with ending'
    this.#taken = new Set([...taken].map(keyOf))
  }

  /** The name, or the name with ` (2)`, ` (3)`, … before its ending. It is taken then. */
  take(name: string): string {
    const key = this.#keyOf(name)
    const dot = this.#hasEnding ? name.lastIndexOf('.') : -1
    const stem = dot > 0 ? name.slice(0, dot) : name
    const ending = dot > 0 ? name.slice(dot) : ''
    let free = name
    let number = this.#next.get(key) ?? 2
    for (; this.#taken.has(this.#keyOf(free)); number += 1) free = `${stem} (${number})${ending}`
    this.#next.set(key, number)
    this.#taken.add(this.#keyOf(free))
    return free
  }
}
