import * as limits from '../limits.js'

export interface RestartDecision {
  readonly delayMs: number
  /** It keeps ending right after its start; said once per series. */
  readonly isCrashLoop: boolean
}

/** When a worker that has ended starts again: exponential back-off with jitter, forgotten after a time of health. */
export class RestartPolicy {
  readonly #random: () => number
  #exits = 0
  #earlyExits = 0

  /** `random`: from 0 to less than 1. */
  constructor(random: () => number) {
    this.#random = random
  }

  exited(livedMs: number): RestartDecision {
    if (livedMs >= limits.healthyMs) this.#exits = 0
    this.#earlyExits = livedMs < limits.earlyExitMs ? this.#earlyExits + 1 : 0
    const fullMs = Math.min(limits.restartMsMin * 2 ** Math.min(this.#exits, 16), limits.restartMsMax)
    this.#exits += 1
    return {
      // Of workers that fail together for one reason, not all come back at one moment.
      delayMs: Math.round(Math.max(limits.restartMsMin, fullMs * (0.5 + this.#random() / 2))),
      isCrashLoop: this.#earlyExits === limits.earlyExitsMax,
    }
  }
}
