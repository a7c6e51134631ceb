import type { WorkerPeer } from './peers.js'

/**
 * The workers of a service in the order in which they get calls, as an indexed heap: to know the first of hundreds costs
 * nothing, and to keep it so a few steps for each call.
 */
export class ReplicaOrder {
  readonly #heap: WorkerPeer[] = []

  get first(): WorkerPeer | undefined {
    return this.#heap[0]
  }

  add(worker: WorkerPeer): void {
    worker.order = this
    this.#put(worker, this.#heap.length)
    this.moved(worker)
  }

  remove(worker: WorkerPeer): void {
    worker.order = undefined
    const last = this.#heap.pop()!
    if (last === worker) return
    this.#put(last, worker.place)
    this.moved(last)
  }

  /** It has more or fewer calls than before. */
  moved(worker: WorkerPeer): void {
    this.#rise(worker)
    this.#sink(worker)
  }

  #rise(worker: WorkerPeer): void {
    while (worker.place > 0) {
      const parent = this.#heap[(worker.place - 1) >> 1]!
      if (!comesBefore(worker, parent)) return
      this.#swap(worker, parent)
    }
  }

  #sink(worker: WorkerPeer): void {
    for (;;) {
      const left = this.#heap[worker.place * 2 + 1]
      const right = this.#heap[worker.place * 2 + 2]
      const child = right !== undefined && comesBefore(right, left!) ? right : left
      if (child === undefined || !comesBefore(child, worker)) return
      this.#swap(worker, child)
    }
  }

  #swap(one: WorkerPeer, other: WorkerPeer): void {
    const { place } = one
    this.#put(one, other.place)
    this.#put(other, place)
  }

  #put(worker: WorkerPeer, place: number): void {
    worker.place = place
    this.#heap[place] = worker
  }
}

/** Least outstanding, then least recently used, then the one that was there first. */
export function comesBefore(one: WorkerPeer, other: WorkerPeer): boolean {
  if (one.held.size !== other.held.size) return one.held.size < other.held.size
  if (one.usedAt !== other.usedAt) return one.usedAt < other.usedAt
  return one.serial < other.serial
}
