import { TransientMap } from '@callboard/protocol'

/** Somebody who waits, but not for ever. */
export interface Waiting {
  /** It has waited long enough. */
  giveUp(): void
}

/** How long each of many may wait. One timer serves them all: nearly none of them ever needs it. */
export class Patience {
  readonly #ms: number
  /** Until when, in the order in which they began. */
  readonly #waiting = new TransientMap<Waiting, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number) {
    this.#ms = ms
  }

  begin(waiting: Waiting): void {
    this.#waiting.set(waiting, performance.now() + this.#ms)
    if (this.#timer === undefined) this.#wakeIn(this.#ms)
  }

  end(waiting: Waiting): void {
    this.#waiting.delete(waiting)
  }

  #wakeIn(ms: number): void {
    this.#timer = setTimeout(() => this.#check(), ms).unref()
  }

  #check(): void {
    this.#timer = undefined
    const now = performance.now()
    const due: Waiting[] = []
    for (const [waiting, until] of this.#waiting) {
      if (until > now) {
        this.#wakeIn(until - now)
        break
      }
      due.push(waiting)
    }
    for (const waiting of due) {
      this.#waiting.delete(waiting)
      waiting.giveUp()
    }
  }
}
