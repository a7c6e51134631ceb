import { localTime, timeOfLocal } from '../format/local-time.js'
import { momentsRememberedMax } from '../limits.js'

/** Dates of a project as REFI-QDA has them, in UTC. Many rows share one, and a time zone takes long to ask. */
export class Moments {
  readonly #known = new Map<string, string | null>()

  /** Null where it is no date. */
  ofLocal(date: unknown): string | null {
    if (typeof date !== 'string' || date === '') return null
    let moment = this.#known.get(date)
    if (moment === undefined) {
      const time = timeOfLocal(date)
      moment = time === null ? null : `${new Date(time).toISOString().slice(0, 19)}Z`
      if (this.#known.size >= momentsRememberedMax) this.#known.clear()
      this.#known.set(date, moment)
    }
    return moment
  }

  /** Of a moment as the model has it; otherwise `instead`. */
  toLocal(moment: string | null, instead: string): string {
    if (moment === null) return instead
    let date = this.#known.get(moment)
    if (date === undefined) {
      const time = Date.parse(moment)
      date = Number.isNaN(time) ? null : localTime(time)
      if (this.#known.size >= momentsRememberedMax) this.#known.clear()
      this.#known.set(moment, date)
    }
    return date ?? instead
  }
}
