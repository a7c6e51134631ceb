import type { Clock } from '@callboard/worker/clock'
import { QdaFailure } from '../failure.js'
import type { SearchThread } from './search-thread.js'
import type { FromThread, ToThread } from './thread-messages.js'

export interface ThreadTime {
  readonly clock: Clock
  /** What all questions of one search may take together, ms. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** A thread for one search, which is ended when its time is over or the caller gives up. */
export class TimedThread {
  readonly #thread: SearchThread
  readonly #time: ThreadTime
  #leftMs: number
  #isBusy = false
  #whyEnded: unknown

  constructor(thread: SearchThread, time: ThreadTime) {
    this.#thread = thread
    this.#time = time
    this.#leftMs = time.timeoutMs
  }

  /** Whether another search may have the thread now. */
  get isFree(): boolean {
    return !this.#isBusy && !this.#thread.hasEnded
  }

  /**
   * The time counts only until the answer is there: what the caller does between two questions is not the pattern's fault.
   * Rejects with QdaFailure PATTERN_TIMEOUT, or with the signal's reason.
   */
  async ask(message: ToThread): Promise<FromThread> {
    const { clock } = this.#time
    const asked = clock.monotonic()
    const answered = new AbortController()
    this.#isBusy = true
    this.#endInTime(answered.signal)
    try {
      const answer = await this.#thread.ask(message)
      this.#leftMs -= clock.monotonic() - asked
      this.#isBusy = false
      return answer
    } catch (error) {
      throw this.#whyEnded ?? error
    } finally {
      answered.abort()
    }
  }

  #endInTime(answered: AbortSignal): void {
    const { clock, signal } = this.#time
    const either = signal === undefined ? answered : AbortSignal.any([answered, signal])
    void clock.sleepUntil(clock.now() + this.#leftMs, either).then(() => {
      if (answered.aborted) return
      this.#whyEnded = signal?.aborted ? signal.reason : this.#timeout()
      return this.#thread.end()
    })
  }

  #timeout(): QdaFailure {
    const { timeoutMs } = this.#time
    return new QdaFailure(
      'PATTERN_TIMEOUT',
      `The pattern was still being searched after ${timeoutMs} ms; nothing was done.`,
      {
        details: { timeout_ms: timeoutMs },
        suggestions: ['Avoid nested repetition such as (a+)+ in the pattern.', 'Search fewer sources at once.'],
      },
    )
  }
}
