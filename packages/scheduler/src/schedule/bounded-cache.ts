/** Remembers what was made last; what was made first is forgotten, and made anew when it is asked for again. */
export class BoundedCache<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #entriesMax: number

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get(key: string, make: () => Value): Value {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const made = make()
    if (this.#entries.size >= this.#entriesMax) this.#forgetOldest()
    this.#entries.set(key, made)
    return made
  }

  #forgetOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key)
      return
    }
  }
}
