/**
 * Timers by key, as data: an indexed binary heap, so that setting again and clearing leave nothing behind.
 * A key has one timer at a time.
 */
export class Timers<Value> {
  readonly #heap: Entry<Value>[] = []
  readonly #byKey = new Map<string, Entry<Value>>()

  /** When the next timer is due; undefined when there is none. */
  get nextAt(): number | undefined {
    return this.#heap[0]?.at
  }

  get size(): number {
    return this.#heap.length
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  set(key: string, at: number, value: Value): void {
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      known.at = at
      known.value = value
      this.#settle(known)
      return
    }
    const entry: Entry<Value> = { key, at, value, index: this.#heap.length }
    this.#byKey.set(key, entry)
    this.#heap.push(entry)
    this.#settle(entry)
  }

  clear(key: string): void {
    const entry = this.#byKey.get(key)
    if (entry !== undefined) this.#remove(entry)
  }

  /** Removes and returns the earliest timer due at `now`. */
  takeDue(now: number): Value | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.at > now) return undefined
    this.#remove(first)
    return first.value
  }

  #remove(entry: Entry<Value>): void {
    this.#byKey.delete(entry.key)
    const last = this.#heap.pop()!
    if (last === entry) return
    this.#heap[entry.index] = last
    last.index = entry.index
    this.#settle(last)
  }

  #settle(entry: Entry<Value>): void {
    this.#rise(entry)
    this.#sink(entry)
  }

  #rise(entry: Entry<Value>): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1]!
      if (parent.at <= entry.at) return
      this.#swap(entry, parent)
    }
  }

  #sink(entry: Entry<Value>): void {
    for (;;) {
      const left = this.#heap[entry.index * 2 + 1]
      const right = this.#heap[entry.index * 2 + 2]
      const child = right !== undefined && right.at < left!.at ? right : left
      if (child === undefined || child.at >= entry.at) return
      this.#swap(entry, child)
    }
  }

  #swap(one: Entry<Value>, other: Entry<Value>): void {
    const index = one.index
    one.index = other.index
    other.index = index
    this.#heap[one.index] = one
    this.#heap[other.index] = other
  }
}

interface Entry<Value> {
  readonly key: string
  at: number
  value: Value
  index: number
}
