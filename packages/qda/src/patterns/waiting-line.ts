/** So many at once; the others wait, in the order in which they came. */
export class WaitingLine {
  readonly #insideMax: number
  readonly #waiting = new Set<() => void>()
  #inside = 0

  constructor(insideMax: number) {
    this.#insideMax = insideMax
  }

  /** Resolves when it is the caller's turn, who then must `leave` once. Rejects with the signal's reason. */
  async enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#inside < this.#insideMax) {
      this.#inside++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting.delete(go)
        reject(signal?.reason)
      }
      this.#waiting.add(go)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** The place goes to the next one at once, so that nobody comes in between. */
  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#inside--
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
