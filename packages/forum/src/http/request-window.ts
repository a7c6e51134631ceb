/** At most `max` requests in any window of that length, ms. */
export interface WindowLimit {
  readonly max: number
  readonly windowMs: number
}

/** How many requests a forum takes from one of us. Knows no clock: each time is given, ms, and none is before an earlier one. */
export class RequestWindow {
  readonly #limits: readonly WindowLimit[]
  /** When requests left, ascending; no more than the widest limit has to know. */
  #left: number[] = []

  constructor(limits: readonly WindowLimit[]) {
    this.#limits = limits
  }

  /** A request leaves now. */
  add(now: number): void {
    this.#left.push(now)
    this.#forget(now)
  }

  /** For how long, ms, another request has to wait when `ahead` others leave before it as soon as they may. */
  waitMs(now: number, ahead = 0): number {
    let at = now
    const times = [...this.#left]
    for (let index = 0; index <= ahead; index += 1) {
      at = this.#limits.reduce((free, { max, windowMs }) => {
        const blocking = times[times.length - max]
        return blocking === undefined ? free : Math.max(free, blocking + windowMs)
      }, at)
      times.push(at)
    }
    return at - now
  }

  /** Whether no request is remembered that still counts. */
  isEmpty(now: number): boolean {
    this.#forget(now)
    return this.#left.length === 0
  }

  #forget(now: number): void {
    const countMax = Math.max(...this.#limits.map(({ max }) => max))
    const longest = Math.max(...this.#limits.map(({ windowMs }) => windowMs))
    const isOver = this.#left.findIndex((time) => time > now - longest)
    const over = isOver === -1 ? this.#left.length : isOver
    const surplus = Math.max(over, this.#left.length - countMax)
    if (surplus > 0) this.#left = this.#left.slice(surplus)
  }
}
