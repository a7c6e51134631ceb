import { lossesListedMax } from '../limits.js'

/** What could not be taken over. */
export interface Loss {
  readonly element: string
  readonly guid: string | null
  /** A sentence, or the beginning of one. */
  readonly what: string
}

/** Every loss counts; the first are listed, so that a strange file of a million elements can't fill the memory. */
export class LossList {
  readonly #listed: Loss[] = []
  #count = 0

  static copyOf(other: LossList): LossList {
    const copy = new LossList()
    copy.#listed.push(...other.#listed)
    copy.#count = other.#count
    return copy
  }

  add(element: string, guid: string | null, what: string): void {
    this.#count += 1
    if (this.#listed.length < lossesListedMax) this.#listed.push({ element, guid, what })
  }

  get listed(): readonly Loss[] {
    return this.#listed
  }

  get count(): number {
    return this.#count
  }
}
