import type { Death } from '../runtime/death.js'
import type { Cell, CellEnd, Runtime } from '../runtime/runtime.js'
import { InterruptLadder } from './interrupt-ladder.js'

/** Why a run was stopped before its own end. */
export type StopReason = 'timeout' | 'interrupt' | 'reset'

export type CellOutcome = { readonly stopped: StopReason | undefined } & (
  | { readonly kind: 'finished'; readonly finished: CellEnd }
  | { readonly kind: 'died'; readonly death: Death }
)

/** One cell on a living runtime, from `execute` to the last byte of its output. */
export class CellRun {
  readonly #runtime: Runtime
  readonly #cell: Cell
  readonly #ladder: InterruptLadder
  #stopped: StopReason | undefined

  constructor(runtime: Runtime, cell: Cell) {
    this.#runtime = runtime
    this.#cell = cell
    this.#ladder = new InterruptLadder(runtime, cell.run)
  }

  /** Settles once, whatever happens to the process. */
  async execute(timeoutMs: number): Promise<CellOutcome> {
    // The limit is a promise: code that does not react to the interrupt is killed.
    const timer = setTimeout(() => this.stop('timeout', true), timeoutMs)
    try {
      const ended = this.#runtime.execute(this.#cell).then((finished) => ({ kind: 'finished', finished }) as const)
      const died = this.#runtime.died.then((death) => ({ kind: 'died', death }) as const)
      const outcome = await Promise.race([ended, died])
      return { ...outcome, stopped: this.#stopped }
    } finally {
      clearTimeout(timer)
      this.#ladder.clear()
    }
  }

  /** The first reason stands. Without `mayKill` the process survives in any case. */
  stop(reason: StopReason, mayKill: boolean): void {
    this.#stopped ??= reason
    this.#ladder.start(mayKill)
  }
}
