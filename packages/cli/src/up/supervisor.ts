import type { ChildProcess } from 'node:child_process'
import type { SupervisedStatus } from '@callboard/hub'
import { Guardian, type GuardianOptions } from './guardian.js'
import { SupervisedWorker, type WorkerExit } from './supervised-worker.js'

export interface SupervisorOptions {
  readonly workers: readonly string[]
  readonly spawn: (name: string) => ChildProcess
  readonly writeLine: (line: string) => void
  readonly exited: (exit: WorkerExit) => void
  readonly recovered: (worker: string) => void
  readonly guardian: GuardianOptions
}

/** Keeps the workers running; what one of them does is nothing to the others. */
export class Supervisor {
  readonly #workers: ReadonlyMap<string, SupervisedWorker>
  readonly #guardian: Guardian

  constructor({ workers, guardian, ...options }: SupervisorOptions) {
    const keeper = new Guardian(guardian)
    this.#guardian = keeper
    this.#workers = new Map(
      workers.map((name) => [name, new SupervisedWorker({ name, guardian: keeper, ...options })] as const),
    )
  }

  get statuses(): readonly SupervisedStatus[] {
    return [...this.#workers.values()].map(({ status }) => status)
  }

  start(): void {
    if (this.#workers.size > 0) this.#guardian.start()
    for (const worker of this.#workers.values()) worker.start()
  }

  /** The hub has signed in a worker of this service. */
  signedIn(service: string): void {
    this.#workers.get(service)?.signedIn()
  }

  /** Resolves when no process is left. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()))
    await this.#guardian.stop()
  }
}
