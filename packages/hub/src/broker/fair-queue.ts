/** Whose turn it is: principals take turns, and so do the lanes of each. */
export interface Lane {
  readonly principal: string
  readonly lane: string
}

/**
 * A queue that is fair between principals, and between the lanes of each: a lane is first-in first-out, and whoever had a
 * turn goes to the end of the line. An item's lane never blocks another's; within a lane the first item does.
 */
export class FairQueue<Item> {
  // A Map keeps insertion order: the first entry is the one whose turn it is.
  readonly #principals = new Map<string, Map<string, Item[]>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  laneSize({ principal, lane }: Lane): number {
    return this.#principals.get(principal)?.get(lane)?.length ?? 0
  }

  /** Items of one principal, in all of its lanes. */
  principalSize(principal: string): number {
    let size = 0
    for (const items of this.#principals.get(principal)?.values() ?? []) size += items.length
    return size
  }

  /** What is served before an item that comes last in this lane: never more than there is. */
  ahead({ principal, lane }: Lane): number {
    const lanes = this.#principals.get(principal)
    const others = this.#principals.size - (lanes === undefined ? 0 : 1)
    const lanesOfOwn = (lanes?.size ?? 0) + (lanes?.has(lane) === true ? 0 : 1)
    const turnsOfOwn = (this.laneSize({ principal, lane }) + 1) * lanesOfOwn
    return Math.min(this.#size, turnsOfOwn * (others + 1) - 1)
  }

  push(lane: Lane, item: Item): void {
    this.#itemsOf(lane).push(item)
    this.#size++
  }

  /** For an item that had its turn already and came back. */
  pushFirst(lane: Lane, item: Item): void {
    this.#itemsOf(lane).unshift(item)
    this.#size++
  }

  /** The first item, in fair order, at the head of a lane that `accept` takes; its lane goes to the end of the line. */
  take(accept: (item: Item) => boolean): Item | undefined {
    for (const [principal, lanes] of this.#principals) {
      for (const [lane, items] of lanes) {
        const item = items[0]!
        if (!accept(item)) continue
        items.shift()
        this.#size--
        this.#toTheEnd(principal, lanes, lane, items)
        return item
      }
    }
    return undefined
  }

  remove({ principal, lane }: Lane, item: Item): boolean {
    const lanes = this.#principals.get(principal)
    const items = lanes?.get(lane)
    const index = items?.indexOf(item) ?? -1
    if (lanes === undefined || items === undefined || index < 0) return false
    items.splice(index, 1)
    this.#size--
    if (items.length === 0) lanes.delete(lane)
    if (lanes.size === 0) this.#principals.delete(principal)
    return true
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const lanes of this.#principals.values()) for (const items of lanes.values()) yield* items
  }

  #itemsOf({ principal, lane }: Lane): Item[] {
    const lanes = this.#principals.get(principal) ?? new Map<string, Item[]>()
    const items = lanes.get(lane) ?? []
    this.#principals.set(principal, lanes.set(lane, items))
    return items
  }

  #toTheEnd(principal: string, lanes: Map<string, Item[]>, lane: string, items: Item[]): void {
    lanes.delete(lane)
    if (items.length > 0) lanes.set(lane, items)
    this.#principals.delete(principal)
    if (lanes.size > 0) this.#principals.set(principal, lanes)
  }
}
