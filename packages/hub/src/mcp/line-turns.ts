import { linesInARowMax, linesPerTurnMax } from './limits.js'

/**
 * Lets connections take turns with the event loop. A socket hands over all that has come, and so does the next one: without
 * this the workers' frames, and their heartbeats with them, would wait until every agent has been heard out.
 */
export class LineTurns {
  #left = linesPerTurnMax
  #next: NodeJS.Immediate | undefined
  readonly #waiting: (() => void)[] = []

  /** Whether a connection that has handled so many lines in a row may handle another one now. */
  mayGoOn(handled: number): boolean {
    if (handled >= linesInARowMax || this.#left === 0) return false
    this.#left--
    this.#next ??= setImmediate(this.#begin)
    return true
  }

  /** Calls back in a later turn, in the order of asking. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn)
    this.#next ??= setImmediate(this.#begin)
  }

  #begin = (): void => {
    this.#next = undefined
    this.#left = linesPerTurnMax
    // Who goes on waits anew behind those who had no turn yet.
    for (let count = this.#waiting.length; count > 0 && this.#left > 0; count--) this.#waiting.shift()!()
    if (this.#waiting.length > 0) this.#next ??= setImmediate(this.#begin)
  }
}
