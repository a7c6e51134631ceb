import { lineCost, linesInARowMax, linesPerTurnMax } from './limits.js'

/**
 * Lets connections take turns with the event loop. A socket hands over all that has come, and so does the next one: without
 * this the workers' frames, and their heartbeats with them, would wait until every agent has been heard out.
 */
export class LineTurns {
  #left = linesPerTurnMax * lineCost
  #next: NodeJS.Immediate | undefined
  readonly #waiting: (() => void)[] = []

  /** Whether a connection whose lines have cost so much in a row may handle another one now. */
  mayGoOn(spent: number): boolean {
    return spent < linesInARowMax * lineCost && this.#left > 0
  }

  /** What a line has cost, in units of which a usual one costs {@link lineCost}. */
  spend(cost: number): void {
    this.#left -= cost
    this.#next ??= setImmediate(this.#begin)
  }

  /** Calls back in a later turn, in the order of asking. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn)
    this.#next ??= setImmediate(this.#begin)
  }

  #begin = (): void => {
    this.#next = undefined
    this.#left = linesPerTurnMax * lineCost
    // Who goes on waits anew behind those who had no turn yet.
    for (let count = this.#waiting.length; count > 0 && this.#left > 0; count--) this.#waiting.shift()!()
    if (this.#waiting.length > 0) this.#next ??= setImmediate(this.#begin)
  }
}
