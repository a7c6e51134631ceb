import { AskedCall } from './asked-call.js'
import type { Caller } from './caller.js'
import type { CallRecord } from './records.js'

export interface ClosedLoopOptions {
  /** Begins the canaries. */
  readonly name: string
  /** Calls without an answer at any time: an answer is followed by the next call. */
  readonly inFlight: number
  readonly workMs: number
}

/** Asks as fast as answers come: what a service does at most, without a call too many. */
export class ClosedLoop {
  readonly calls: CallRecord[] = []
  readonly #options: ClosedLoopOptions
  #isStopped = false
  #open = 0

  constructor(options: ClosedLoopOptions, callers: readonly Caller[]) {
    this.#options = options
    for (let lane = 0; lane < options.inFlight; lane += 1) void this.#run(callers[lane % callers.length]!)
  }

  get open(): number {
    return this.#open
  }

  stop(): void {
    this.#isStopped = true
  }

  async #run(caller: Caller): Promise<void> {
    while (!this.#isStopped) {
      const { name, workMs } = this.#options
      const { record, settled } = new AskedCall(caller, {
        canary: `${name}-${this.calls.length}`,
        kind: 'record',
        workMs,
      })
      this.calls.push(record)
      this.#open += 1
      await settled
      this.#open -= 1
      // On a way that has ended it would ask as fast as it can.
      if (record.outcome === 'lost') return
    }
  }
}
