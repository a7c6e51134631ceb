import { now } from '../hub-process.js'
import type { Caller } from './caller.js'
import { outcomeOf } from './open-loop.js'
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
      const canary = `${this.#options.name}-${this.calls.length}`
      const call = { canary, kind: 'record' as const, sentAt: now(), answers: 0, foreign: 0 }
      const place = this.calls.push(call) - 1
      this.#open += 1
      const args = { canary, workMs: this.#options.workMs }
      const answer = await caller.call('record', args, () => undefined).catch(() => undefined)
      this.#open -= 1
      const outcome = answer === undefined ? 'lost' : outcomeOf(answer)
      const { process } = (answer?.result?.['structuredContent'] ?? {}) as { process?: string }
      const ended = { answers: answer === undefined ? 0 : 1, answeredAt: now(), outcome }
      this.calls[place] = { ...call, ...ended, ...(process !== undefined && { process }) }
      // Without a hub it would ask as fast as it can.
      if (answer === undefined) return
    }
  }
}
