import { interruptGroupMs, interruptKillMs, interruptTraceMs } from '../limits.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * Stops one run by ever harder means: asks the runtime (whose harness cancels the task or signals its main thread), then
 * SIGINT to the whole group; and, if it may kill, for C code that holds the interpreter, a stack trace and SIGKILL.
 * `clear` when the run has ended.
 */
export class InterruptLadder {
  readonly #runtime: Runtime
  readonly #run: number
  #timers: NodeJS.Timeout[] = []
  #started = false
  #killing = false

  constructor(runtime: Runtime, run: number) {
    this.#runtime = runtime
    this.#run = run
  }

  /** Again with `mayKill`: the harder steps are added, from now on. */
  start(mayKill: boolean): void {
    if (!this.#started) {
      this.#started = true
      this.#runtime.interrupt(this.#run)
      this.#timers.push(setTimeout(() => this.#runtime.interruptGroup(), interruptGroupMs))
    }
    if (!mayKill || this.#killing) return
    this.#killing = true
    this.#timers.push(
      setTimeout(() => this.#runtime.trace(), interruptTraceMs),
      setTimeout(() => void this.#runtime.kill('stuck'), interruptKillMs),
    )
  }

  clear(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
  }
}
