import { deathsMax, deathsRefusalMs, deathsWindowMs } from '../limits.js'

/** Counts the deaths of one kernel's processes, so that one that dies again and again rests for a while. */
export class DeathToll {
  #deaths: readonly number[] = []

  add(now: number): void {
    this.#deaths = [...this.#deaths.filter((at) => at > now - deathsWindowMs), now]
  }

  /** How long no new process is started; 0: at once. */
  restMs(now: number): number {
    const newest = this.#deaths.at(-1)
    if (newest === undefined || this.#deaths.length < deathsMax) return 0
    return Math.max(0, newest + deathsRefusalMs - now)
  }
}
