import * as limits from '../limits.js'

export interface WorkerEnd {
  readonly livedMs: number
  /** Null: it was killed, or never started. */
  readonly code: number | null
  readonly hasSignedIn: boolean
}

export interface RestartDecision {
  readonly delayMs: number
  /** Without a time of health between them. */
  readonly endsInARow: number
  /** Whether it keeps ending before it is of any use. */
  readonly crashLoop: 'none' | 'begins' | 'goes_on'
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

  exited(end: WorkerEnd): RestartDecision {
    if (end.livedMs >= limits.healthyMs || wasAsked(end)) this.#exits = 0
    this.#earlyExits = isEarly(end) ? this.#earlyExits + 1 : 0
    const fullMs = Math.min(limits.restartMsMin * 2 ** Math.min(this.#exits, 16), limits.restartMsMax)
    this.#exits += 1
    return {
      // Of workers that fail together for one reason, not all come back at one moment.
      delayMs: Math.round(Math.max(limits.restartMsMin, fullMs * (0.5 + this.#random() / 2))),
      endsInARow: this.#exits,
      crashLoop: this.#crashLoop(),
    }
  }

  #crashLoop(): RestartDecision['crashLoop'] {
    if (this.#earlyExits < limits.earlyExitsMax) return 'none'
    return this.#earlyExits === limits.earlyExitsMax ? 'begins' : 'goes_on'
  }
}

/** Drained, or told to end: no failure, however often somebody does so. One that ends at once by itself is another matter. */
function wasAsked({ livedMs, code, hasSignedIn }: WorkerEnd): boolean {
  return hasSignedIn && code === 0 && livedMs >= limits.earlyExitMs
}

/**
 * Of no use: it never signed in. Exit code 2 says that something is for the user to change, however long it took to find out.
 * It is tried again all the same, twice a minute: what is wrong is often outside and gets mended while we run (a file, a
 * database, another worker in its place), and nobody should have to tell us.
 */
function isEarly({ livedMs, code, hasSignedIn }: WorkerEnd): boolean {
  return !hasSignedIn && (livedMs < limits.earlyExitMs || code === 2)
}
