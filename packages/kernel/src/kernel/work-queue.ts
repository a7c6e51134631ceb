import type { Failure } from './run-report.js'

/** One thing at a time on a kernel: a run, or what a reset does between runs. */
export interface Work {
  /** Resolves to how its caller is told, which comes after the books are in order. Never rejects. */
  perform(): Promise<() => void>
  /** Instead of `perform`, when it was taken out of the queue. */
  refuse(failure: Failure): void
}

/** Performs work in order, one after the other. */
export class WorkQueue {
  readonly #waiting: Work[] = []
  #performing: Promise<void> = Promise.resolve()
  #busy = false
  #idleSince = Date.now()

  /** Waiting, without the one that is being performed. */
  get length(): number {
    return this.#waiting.length
  }

  get busy(): boolean {
    return this.#busy
  }

  /** UTC ms of the end of the last work. */
  get idleSince(): number {
    return this.#idleSince
  }

  push(work: Work): void {
    this.#waiting.push(work)
    this.#wake()
  }

  /** Before all that waits. */
  pushFirst(work: Work): void {
    this.#waiting.unshift(work)
    this.#wake()
  }

  /** Nothing if it is being performed already, or over. */
  refuse(work: Work, failure: Failure): void {
    const at = this.#waiting.indexOf(work)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    work.refuse(failure)
  }

  /** Counted from 1; 0 when it does not wait. */
  placeOf(work: Work): number {
    return this.#waiting.indexOf(work) + 1
  }

  refuseAll(failure: Failure): void {
    for (const work of this.#waiting.splice(0)) work.refuse(failure)
  }

  /** When what is being performed, and what waits behind it, is over. */
  async settled(): Promise<void> {
    while (this.#busy) await this.#performing
  }

  #wake(): void {
    if (this.#busy) return
    this.#busy = true
    this.#performing = this.#performAll()
  }

  async #performAll(): Promise<void> {
    for (let work = this.#waiting.shift(); work; work = this.#waiting.shift()) {
      const settle = await work.perform()
      this.#idleSince = Date.now()
      this.#busy = this.#waiting.length > 0
      settle()
    }
  }
}

/** Turns a promise into what `Work.perform` promises. */
export function settling<Value>(
  work: Promise<Value>,
  resolve: (value: Value) => void,
  reject: (error: unknown) => void,
): Promise<() => void> {
  return work.then(
    (value) => () => resolve(value),
    (error: unknown) => () => reject(error),
  )
}
