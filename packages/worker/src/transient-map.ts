import { mapDeletionsMax } from './limits.js'

/**
 * A map whose entries come and go with each call. V8 links a map's table to the one that takes its place, and once a dead
 * one is among the old objects it keeps all that followed it alive, with every entry: young garbage is then copied
 * instead of dropped. A new map now and then ends that chain.
 */
export class TransientMap<Key, Value> {
  #map = new Map<Key, Value>()
  #deletions = 0

  get size(): number {
    return this.#map.size
  }

  has(key: Key): boolean {
    return this.#map.has(key)
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value)
  }

  delete(key: Key): boolean {
    if (!this.#map.delete(key)) return false
    this.#deletions += 1
    // Copying as few entries as were deleted since.
    if (this.#deletions >= mapDeletionsMax && this.#deletions >= this.#map.size) this.#renew(this.#map)
    return true
  }

  clear(): void {
    this.#renew([])
  }

  keys(): IterableIterator<Key> {
    return this.#map.keys()
  }

  values(): IterableIterator<Value> {
    return this.#map.values()
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#map[Symbol.iterator]()
  }

  #renew(entries: Iterable<readonly [Key, Value]>): void {
    this.#map = new Map(entries)
    this.#deletions = 0
  }
}
