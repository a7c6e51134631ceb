import type { ChildProcess } from 'node:child_process'
import { SupervisedWorker, type WorkerExit } from './supervised-worker.js'

export interface SupervisorOptions {
  readonly workers: readonly string[]
  readonly spawn: (name: string) => ChildProcess
  readonly writeLine: (line: string) => void
  readonly exited: (exit: WorkerExit) => void
}

/** Keeps the workers running; what one of them does is nothing to the others. */
export class Supervisor {
  readonly #workers: readonly SupervisedWorker[]

  constructor({ workers, ...options }: SupervisorOptions) {
    this.#workers = workers.map((name) => new SupervisedWorker({ name, ...options }))
  }

  start(): void {
    for (const worker of this.#workers) worker.start()
  }

  /** Resolves when no process is left. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
  }
}
