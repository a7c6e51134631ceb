import type { KernelProcess } from './kernel-process.js'
import { interruptGroupMs, interruptKillMs, interruptTraceMs } from './limits.js'

/**
 * Stops one run by ever harder means: asks the harness (which cancels the task or signals its main thread), then SIGINT to
 * the whole group, then, for C code that holds the interpreter, a stack trace and SIGKILL. `clear` when the run has ended.
 */
export class InterruptLadder {
  readonly #process: KernelProcess
  readonly #run: number
  #timers: readonly NodeJS.Timeout[] = []

  constructor(process: KernelProcess, run: number) {
    this.#process = process
    this.#run = run
  }

  get started(): boolean {
    return this.#timers.length > 0
  }

  start(): void {
    if (this.started) return
    this.#process.send({ type: 'interrupt', run: this.#run })
    this.#timers = [
      setTimeout(() => this.#process.signalGroup('SIGINT'), interruptGroupMs),
      setTimeout(() => this.#process.signal('SIGUSR1'), interruptTraceMs),
      setTimeout(() => void this.#process.kill('stuck'), interruptKillMs),
    ]
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
