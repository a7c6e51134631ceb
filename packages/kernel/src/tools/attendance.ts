import { waitingCallsPerOwnerMax } from '../limits.js'

/** Calls that only wait, counted by owner: those of one must not take all places of the worker. */
export class Attendance {
  readonly #counts = new Map<string, number>()

  /** How to leave again; undefined if as many of this owner wait as may. */
  enter(owner: string): (() => void) | undefined {
    const count = this.#counts.get(owner) ?? 0
    if (count >= waitingCallsPerOwnerMax) return undefined
    this.#counts.set(owner, count + 1)
    return () => this.#leave(owner)
  }

  #leave(owner: string): void {
    const left = (this.#counts.get(owner) ?? 1) - 1
    if (left > 0) this.#counts.set(owner, left)
    else this.#counts.delete(owner)
  }
}
