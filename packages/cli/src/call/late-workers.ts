import { setTimeout as delay } from 'node:timers/promises'
import { readHubStatus } from '../hub-link/hub-status.js'
import * as limits from '../limits.js'
import { complain } from '../output.js'

/** The workers that the hub's process keeps running, for a call of a tool that may be one of theirs: a hub answers before they are there. */
export class LateWorkers {
  readonly #path: string
  readonly #tool: string
  #hasSaid = false

  /** `path`: the hub's socket. */
  constructor(path: string, tool: string) {
    this.#path = path
    this.#tool = tool
  }

  /**
   * Tries until it succeeds, or until nobody is missing and it fails all the same, for a bounded time. `attempt`: undefined for a failure
   * that one more worker may mend. `stillWaits` is called again and again while nothing happens: what it throws ends the waiting.
   */
  async retry<T>(attempt: () => Promise<T | undefined>, stillWaits: () => void): Promise<T | undefined> {
    const beganAt = performance.now()
    const first = await attempt()
    if (first !== undefined) return first
    for (;;) {
      // Asked before the attempt: who signs in during it may have come too late for it.
      const missing = await this.missing()
      const found = await attempt()
      if (found !== undefined || missing.length === 0) return found
      for (let now = missing; now.join() === missing.join(); now = await this.missing()) {
        const waitedMs = performance.now() - beganAt
        if (waitedMs >= limits.lateWorkersMs) return undefined
        if (waitedMs >= limits.silentWaitMs) this.#say(now)
        await delay(limits.lateWorkersPollMs)
        stillWaits()
      }
    }
  }

  /** Says what is waited for, unless `answered` comes soon. */
  async watch<T>(answered: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.missing().then(
        (missing) => this.#say(missing),
        () => {},
      )
    }, limits.silentWaitMs).unref()
    return answered.finally(() => clearTimeout(timer))
  }

  /** By name; one that keeps failing is not waited for. */
  async missing(): Promise<readonly string[]> {
    const { supervised = [] } = (await readHubStatus(this.#path))?.hub ?? {}
    return supervised.filter(({ state }) => state === 'starting' || state === 'restarting').map(({ worker }) => worker)
  }

  #say(missing: readonly string[]): void {
    if (this.#hasSaid || missing.length === 0) return
    this.#hasSaid = true
    complain(`callboard: ${this.#tool} is not there yet: waiting for ${missing.join(', ')} to start.`)
  }
}
