import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@callboard/worker/clock'
import { timeSliceMs } from '../limits.js'

/** Long work in short pieces, between which others have their turn. */
export class TimeSlices {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #begun: number

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    this.#begun = clock.monotonic()
  }

  /** Between two pieces. The project may be another one afterwards. Throws the signal's reason. */
  async pause(): Promise<void> {
    if (this.#clock.monotonic() - this.#begun < timeSliceMs) return
    await nextTurn()
    this.#signal.throwIfAborted()
    this.#begun = this.#clock.monotonic()
  }
}
