import type { Clock } from '@callboard/worker/clock'

/** Does something again and again, never twice at once, until it is closed. */
export class Repeating {
  readonly #closing = new AbortController()
  readonly #loop: Promise<void>

  /** First after `everyMs`. A failure goes to `onError`, and the next turn comes all the same. */
  constructor(clock: Clock, everyMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.#loop = this.#repeat(clock, everyMs, work, onError)
  }

  /** Resolves when the turn that runs has ended. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#loop
  }

  async #repeat(
    clock: Clock,
    everyMs: number,
    work: () => Promise<unknown>,
    onError: (error: unknown) => void,
  ): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await clock.sleepUntil(clock.now() + everyMs, signal)
      if (signal.aborted) return
      try {
        await work()
      } catch (error) {
        onError(error)
      }
    }
  }
}
