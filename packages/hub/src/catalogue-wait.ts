/** How long the first list waits for workers that have never been seen. */
const catalogueGraceMs = 3_000

export interface CatalogueWaitOptions {
  /** Whether all are known whose workers come along. */
  readonly isComplete: () => boolean
  /** Resolves when a worker joins. */
  readonly workerJoined: () => Promise<void>
  /** UTC ms that never go back. */
  readonly now: () => number
}

/** A list before the first sign-in would be empty, and clients keep what they were first told. */
export class CatalogueWait {
  readonly #options: CatalogueWaitOptions
  /** Since when there is all that workers need: before it, none that comes along can sign in. */
  #readyAt: number
  #isKnown = false

  constructor(options: CatalogueWaitOptions) {
    this.#options = options
    this.#readyAt = options.now()
  }

  get isKnown(): boolean {
    this.#isKnown ||= this.#isOver()
    return this.#isKnown
  }

  hubIsReady(): void {
    this.#readyAt = this.#options.now()
  }

  /** Undefined: nothing is waited for. */
  known(): Promise<void> | undefined {
    return this.isKnown ? undefined : this.#wait()
  }

  #isOver(): boolean {
    const { isComplete, now } = this.#options
    return now() - this.#readyAt >= catalogueGraceMs || isComplete()
  }

  async #wait(): Promise<void> {
    const { workerJoined, now } = this.#options
    while (!this.#isOver()) {
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, this.#readyAt + catalogueGraceMs - now())
      })
      await Promise.race([workerJoined(), timeout])
      clearTimeout(timer)
    }
  }
}
