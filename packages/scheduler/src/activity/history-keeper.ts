import type { Foundation } from '../foundation.js'
import { pruneIntervalMs } from '../limits.js'
import { Repeating } from '../repeating.js'
import { pruneOld } from './prune.js'

/** Prunes at the start and every hour. What fails is tried again in the next round. */
export class HistoryKeeper {
  readonly #foundation: Foundation
  #rounds: Repeating | undefined

  constructor(foundation: Foundation) {
    this.#foundation = foundation
  }

  /** Once. Resolves after the first round, and never rejects. */
  async start(): Promise<void> {
    const { clock, log } = this.#foundation
    const failed = (err: unknown) => log.warn({ err }, 'pruning failed')
    await pruneOld(this.#foundation).catch(failed)
    this.#rounds = new Repeating(clock, pruneIntervalMs, () => pruneOld(this.#foundation), failed)
  }

  /** Resolves when the round that runs has ended. Idempotent. */
  async close(): Promise<void> {
    await this.#rounds?.close()
  }
}
