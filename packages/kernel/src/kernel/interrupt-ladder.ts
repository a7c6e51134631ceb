import { interruptGroupMs, interruptKillMs, interruptTraceMs } from '../limits.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * Stops one run by ever harder means: asks the runtime (whose harness cancels the task or signals its main thread), then SIGINT to
 * the whole group, then, for C code that holds the interpreter, a stack trace and SIGKILL. `clear` when the run has ended.
 */
export class InterruptLadder {
  readonly #runtime: Runtime
  readonly #run: number
  #timers: readonly NodeJS.Timeout[] = []

  constructor(runtime: Runtime, run: number) {
    this.#runtime = runtime
    this.#run = run
  }

  get started(): boolean {
    return this.#timers.length > 0
  }

  start(): void {
    if (this.started) return
    this.#runtime.interrupt(this.#run)
    this.#timers = [
      setTimeout(() => this.#runtime.interruptGroup(), interruptGroupMs),
      setTimeout(() => this.#runtime.trace(), interruptTraceMs),
      setTimeout(() => void this.#runtime.kill('stuck'), interruptKillMs),
    ]
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
