/** Something that will happen, unless it is cancelled before. */
export interface Alarm {
  readonly at: number
  cancel(): void
}

interface Entry extends Alarm {
  readonly serial: number
  action: (() => void) | undefined
}

/** Events at one instant beyond which time is taken to stand still: somebody spins. */
const instantMax = 50_000

/** Time as a queue of events: it moves only from one to the next. Those of one instant come in the order of their making. */
export class VirtualClock {
  readonly #heap: Entry[] = []
  #now: number
  #serial = 0

  /** Whole milliseconds. */
  constructor(now: number) {
    this.#now = now
  }

  get now(): number {
    return this.#now
  }

  /** A time in the past means: now, behind what is due already. */
  at(time: number, action: () => void): Alarm {
    const entry: Entry = {
      at: Math.max(Math.ceil(time), this.#now),
      serial: this.#serial++,
      action,
      cancel() {
        this.action = undefined
      },
    }
    this.#push(entry)
    return entry
  }

  after(ms: number, action: () => void): Alarm {
    return this.at(this.#now + ms, action)
  }

  /** Lets everything happen that is due up to `time`, and stands at `time` then. */
  runUntil(time: number): void {
    let instant = 0
    for (let first = this.#heap[0]; first !== undefined && first.at <= time; first = this.#heap[0]) {
      this.#pop()
      if (first.action === undefined) continue
      instant = first.at === this.#now ? instant + 1 : 0
      if (instant > instantMax) throw new Error(`time stands still at ${this.#now}: ${instant} events at one instant`)
      this.#now = first.at
      first.action()
    }
    this.#now = Math.max(this.#now, time)
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(entry, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = entry
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let index = 0
    for (;;) {
      const left = index * 2 + 1
      const right = left + 1
      const child = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left
      if (child >= heap.length || !isBefore(heap[child]!, last)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.serial < other.serial)
}
