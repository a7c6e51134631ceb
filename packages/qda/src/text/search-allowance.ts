import { approximateSearchUnits } from '../limits.js'

/** The work that approximate searches may still do, so that a batch of many ends as soon as one. */
export class SearchAllowance {
  #left: number

  constructor(units: number = approximateSearchUnits) {
    this.#left = units
  }

  /** Whether there was this much left; it is taken. What was done already may be taken too, whatever is left. */
  take(units: number): boolean {
    const isEnough = units <= this.#left
    this.#left -= isEnough ? units : this.#left
    return isEnough
  }
}
