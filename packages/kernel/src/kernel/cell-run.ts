import type { RunOutput } from '../output/run-output.js'
import type { Death } from '../runtime/death.js'
import type { Cell, CellEnd, Runtime } from '../runtime/runtime.js'
import { InterruptLadder } from './interrupt-ladder.js'

/** Why a run was stopped before its own end. */
export type StopReason = 'timeout' | 'cancelled' | 'reset'

export type CellOutcome = { readonly stopped: StopReason | undefined } & (
  | { readonly kind: 'finished'; readonly finished: CellEnd }
  | { readonly kind: 'died'; readonly death: Death }
)

/** One cell on a living runtime, from `execute` to the last byte of its output. */
export class CellRun {
  readonly output: RunOutput
  readonly #runtime: Runtime
  readonly #cell: Cell
  readonly #ladder: InterruptLadder
  #stopped: StopReason | undefined

  constructor(runtime: Runtime, cell: Cell, output: RunOutput) {
    this.#runtime = runtime
    this.#cell = cell
    this.output = output
    this.#ladder = new InterruptLadder(runtime, cell.run)
  }

  /** Settles once, whatever happens to the process. */
  async execute(timeoutMs: number, signal: AbortSignal): Promise<CellOutcome> {
    const timer = setTimeout(() => this.stop('timeout'), timeoutMs)
    const cancel = () => this.stop('cancelled')
    signal.addEventListener('abort', cancel)
    try {
      const ended = this.#runtime.execute(this.#cell).then((finished) => ({ kind: 'finished', finished }) as const)
      if (signal.aborted) cancel()
      const died = this.#runtime.died.then((death) => ({ kind: 'died', death }) as const)
      const outcome = await Promise.race([ended, died])
      return { ...outcome, stopped: this.#stopped }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      this.#ladder.clear()
    }
  }

  /** The first reason stands. */
  stop(reason: StopReason): void {
    this.#stopped ??= reason
    this.#ladder.start()
  }
}
