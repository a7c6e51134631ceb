import type { Foundation } from '../foundation.js'
import { loopLookMs, loopRetryMs } from '../limits.js'
import type { Loop } from './loop.js'
import { LoopTurns } from './loop-turns.js'

/** Runs loops, each by one replica at a time over all processes of one database. They hold no process. */
export class LoopRunner {
  readonly #drivers: readonly Driver[]
  readonly #closing = new AbortController()
  #running: Promise<unknown> | undefined

  constructor(foundation: Foundation, loops: readonly Loop[]) {
    const names = new Set(loops.map(({ network, name }) => `${network}/${name}`))
    if (names.size < loops.length) throw new Error('two loops have one name')
    const turns = new LoopTurns(foundation)
    this.#drivers = loops.map((loop) => new Driver(foundation, turns, loop))
  }

  /** What fell due while nobody ran is done now, once. */
  start(): void {
    if (this.#closing.signal.aborted) return
    this.#running ??= Promise.all(this.#drivers.map((driver) => driver.run(this.#closing.signal)))
  }

  /** A turn now, whenever the next one is due: there is something to do. */
  wake(name: string, network?: string): void {
    for (const driver of this.#drivers) {
      if (driver.loop.name === name && (network === undefined || driver.loop.network === network)) driver.wake()
    }
  }

  /** Aborts the turns that run, and resolves when they have ended. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort()
    for (const driver of this.#drivers) driver.wake()
    await this.#running
  }
}

class Driver {
  readonly loop: Loop
  readonly #foundation: Foundation
  readonly #turns: LoopTurns
  #isWanted = false
  #isFailing = false
  #sleep = new AbortController()

  constructor(foundation: Foundation, turns: LoopTurns, loop: Loop) {
    this.#foundation = foundation
    this.#turns = turns
    this.loop = loop
  }

  wake(): void {
    this.#isWanted = true
    this.#sleep.abort()
  }

  async run(closing: AbortSignal): Promise<void> {
    const { clock } = this.#foundation
    while (!closing.aborted) {
      this.#sleep = new AbortController()
      const lookAt = await this.#once(closing)
      // Other replicas move the time, and an operator may set the clock.
      await clock.sleepUntil(Math.min(lookAt, clock.now() + loopLookMs), this.#sleep.signal)
    }
  }

  async #once(closing: AbortSignal): Promise<number> {
    const { clock, log } = this.#foundation
    const isWanted = this.#isWanted
    // Before the turn: whoever wakes while it runs wants another one.
    this.#isWanted = false
    try {
      const { lookAt, isMet } = await this.#turns.take(this.loop, closing, isWanted)
      this.#isFailing = false
      if (!isMet && isWanted) this.#isWanted = true
      return lookAt
    } catch (error) {
      if (!this.#isFailing && !closing.aborted)
        log.error({ loop: this.loop.name, network: this.loop.network, err: error }, 'database failed; goes on trying')
      this.#isFailing = true
      return clock.now() + loopRetryMs
    }
  }
}
