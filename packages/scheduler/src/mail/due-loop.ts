import type { Clock } from '@callboard/worker/clock'
import { leftBehindLookMs, pollMs } from '../limits.js'
import type { Log } from '../log.js'

export interface DueLoopOptions {
  readonly clock: Clock
  readonly log: Log
  /** For the log: what fails, or works again. */
  readonly name: string
  /** Does what is due; UTC ms when to come again, undefined: nothing is known of. */
  work(): Promise<number | undefined>
}

/** Does what is due, sleeps until there is more, is woken for what came meanwhile. Survives its own failures. */
export class DueLoop {
  readonly #options: DueLoopOptions
  #closed = false
  #failing = false
  #woken = false
  #sleep = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: DueLoopOptions) {
    this.#options = options
  }

  start(): void {
    if (!this.#closed) this.#running ??= this.#run()
  }

  wake(): void {
    this.#woken = true
    this.#sleep.abort()
  }

  /** Resolves when nothing of it runs any more. */
  async close(): Promise<void> {
    this.#closed = true
    this.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock } = this.#options
    while (!this.#closed) {
      this.#woken = false
      this.#sleep = new AbortController()
      const next = await this.#once()
      if (this.#woken) continue
      // Others may have left work behind when they ended.
      const lookAgain = clock.now() + leftBehindLookMs
      await clock.sleepUntil(Math.min(next ?? Number.POSITIVE_INFINITY, lookAgain), this.#sleep.signal)
    }
  }

  async #once(): Promise<number | undefined> {
    const { clock, log, name, work } = this.#options
    try {
      const next = await work()
      if (this.#failing) log.info({ loop: name }, 'works again')
      this.#failing = false
      return next
    } catch (error) {
      if (!this.#failing && !this.#closed)
        log.error({ loop: name, error: (error as Error).message }, 'failed; goes on trying')
      this.#failing = true
      return clock.now() + pollMs
    }
  }
}
