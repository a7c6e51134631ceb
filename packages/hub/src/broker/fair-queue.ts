/**
 * A queue that is fair between lanes: each lane is first-in first-out, and lanes take turns. An item's lane never
 * blocks another's; within a lane the first item does.
 */
export class FairQueue<Item> {
  // A Map keeps insertion order: the first lane is the one whose turn it is.
  readonly #lanes = new Map<string, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  laneSize(lane: string): number {
    return this.#lanes.get(lane)?.length ?? 0
  }

  push(lane: string, item: Item): void {
    const items = this.#lanes.get(lane)
    if (items === undefined) this.#lanes.set(lane, [item])
    else items.push(item)
    this.#size++
  }

  /** For an item that had its turn already and came back. */
  pushFirst(lane: string, item: Item): void {
    const items = this.#lanes.get(lane)
    if (items === undefined) this.#lanes.set(lane, [item])
    else items.unshift(item)
    this.#size++
  }

  /** The first item, in fair order, at the head of a lane that `accept` takes; its lane goes to the end of the line. */
  take(accept: (item: Item) => boolean): Item | undefined {
    for (const [lane, items] of this.#lanes) {
      const item = items[0]!
      if (!accept(item)) continue
      items.shift()
      this.#size--
      this.#lanes.delete(lane)
      if (items.length > 0) this.#lanes.set(lane, items)
      return item
    }
    return undefined
  }

  remove(lane: string, item: Item): boolean {
    const items = this.#lanes.get(lane)
    const index = items?.indexOf(item) ?? -1
    if (items === undefined || index < 0) return false
    items.splice(index, 1)
    this.#size--
    if (items.length === 0) this.#lanes.delete(lane)
    return true
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const items of this.#lanes.values()) yield* items
  }
}
