import { linesInARowMax, linesPerTurnMax } from './limits.js'

/**
 * Lets connections take turns with the event loop. A socket hands over all that has come, and so does the next one: without
 * this the workers' frames, and their heartbeats with them, would wait until every agent has been heard out.
 */
export class LineTurns {
  #left = linesPerTurnMax
  #next: NodeJS.Immediate | undefined
  #waiting: (() => void)[] = []

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
    for (const goOn of this.#waiting.splice(0)) goOn()
  }
}
