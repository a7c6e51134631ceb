import { TransientMap } from '@callboard/protocol'

/**
 * Timers by kind and key, as data: an indexed binary heap, so that setting again and clearing leave nothing behind.
 * A key has one timer of each kind at a time.
 */
export class Timers<Kind extends string> {
  readonly #heap: Timer<Kind>[] = []
  // By kind and then by key: one string of both would have to be made for every call.
  readonly #byKind = new Map<Kind, TransientMap<string, Timer<Kind>>>()

  /** When the next timer is due; undefined when there is none. */
  get nextAt(): number | undefined {
    return this.#heap[0]?.at
  }

  get size(): number {
    return this.#heap.length
  }

  has(kind: Kind, key: string): boolean {
    return this.#byKind.get(kind)?.has(key) ?? false
  }

  set(kind: Kind, key: string, at: number): void {
    const byKey = this.#byKey(kind)
    const known = byKey.get(key)
    if (known !== undefined) {
      known.at = at
      this.#settle(known)
      return
    }
    const timer: Timer<Kind> = { kind, key, at, index: this.#heap.length }
    byKey.set(key, timer)
    this.#heap.push(timer)
    this.#rise(timer)
  }

  clear(kind: Kind, key: string): void {
    const timer = this.#byKind.get(kind)?.get(key)
    if (timer !== undefined) this.#remove(timer)
  }

  /** Removes and returns the earliest timer due at `now`. */
  takeDue(now: number): Due<Kind> | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.at > now) return undefined
    this.#remove(first)
    return first
  }

  #byKey(kind: Kind): TransientMap<string, Timer<Kind>> {
    const known = this.#byKind.get(kind)
    if (known !== undefined) return known
    const fresh = new TransientMap<string, Timer<Kind>>()
    this.#byKind.set(kind, fresh)
    return fresh
  }

  #remove(timer: Timer<Kind>): void {
    this.#byKind.get(timer.kind)!.delete(timer.key)
    const last = this.#heap.pop()!
    if (last === timer) return
    this.#heap[timer.index] = last
    last.index = timer.index
    this.#settle(last)
  }

  #settle(timer: Timer<Kind>): void {
    this.#rise(timer)
    this.#sink(timer)
  }

  #rise(timer: Timer<Kind>): void {
    while (timer.index > 0) {
      const parent = this.#heap[(timer.index - 1) >> 1]!
      if (parent.at <= timer.at) return
      this.#swap(timer, parent)
    }
  }

  #sink(timer: Timer<Kind>): void {
    for (;;) {
      const left = this.#heap[timer.index * 2 + 1]
      const right = this.#heap[timer.index * 2 + 2]
      const child = right !== undefined && right.at < left!.at ? right : left
      if (child === undefined || child.at >= timer.at) return
      this.#swap(timer, child)
    }
  }

  #swap(one: Timer<Kind>, other: Timer<Kind>): void {
    const index = one.index
    one.index = other.index
    other.index = index
    this.#heap[one.index] = one
    this.#heap[other.index] = other
  }
}

/** What a timer was set for. */
export interface Due<Kind extends string> {
  readonly kind: Kind
  readonly key: string
}

interface Timer<Kind extends string> extends Due<Kind> {
  at: number
  index: number
}
