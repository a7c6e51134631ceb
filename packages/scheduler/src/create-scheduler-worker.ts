import { readFileSync } from 'node:fs'
import { defineWorker, type RunningWorker, type RunOptions, type Worker } from '@callboard/worker'
import { systemClock } from './clock.js'
import { concurrentCallsMax } from './limits.js'
import { openScheduler, type Scheduler, type SchedulerOptions } from './open-scheduler.js'

/** The worker with its database and engine. Rejects with a SchedulerConfigError, a GroupsFileError or a StoreError. */
export async function createSchedulerWorker(options: SchedulerOptions): Promise<SchedulerWorker> {
  let scheduler: Scheduler | undefined
  const worker = defineWorker({
    service: 'scheduler',
    version: packageVersion(),
    concurrency: concurrentCallsMax,
    replicas: 'many',
    holdUntil: () => scheduler?.holdUntil,
  })
  scheduler = await openScheduler(worker, options, { clock: systemClock })
  return new SchedulerWorker(worker, scheduler)
}

/** The definition and what stands behind it. However it ends, what it runs is stopped, then the database is closed. */
export class SchedulerWorker implements AsyncDisposable {
  /** The definition, e.g. for `connectForTest`. */
  readonly worker: Worker
  readonly #scheduler: Scheduler

  constructor(worker: Worker, scheduler: Scheduler) {
    this.worker = worker
    this.#scheduler = scheduler
  }

  /** Runs until drained, see `Worker.run`. SIGHUP reads the groups file again. */
  async run(options?: RunOptions): ReturnType<Worker['run']> {
    const reload = () => void this.#scheduler.groups.reload()
    process.on('SIGHUP', reload)
    try {
      await this.#scheduler.start()
      return await this.worker.run(options)
    } finally {
      process.off('SIGHUP', reload)
      await this.close()
    }
  }

  /** Resolves when signed in; the end of the handle closes all. */
  async start(options?: RunOptions): Promise<RunningWorker> {
    try {
      await this.#scheduler.start()
      const running = await this.worker.start(options)
      running.closed.then(
        () => this.close(),
        () => this.close(),
      )
      return running
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Begins to work without a hub of its own, e.g. before `connectForTest`. */
  startEngine(): Promise<void> {
    return this.#scheduler.start()
  }

  /** Idempotent. */
  close(): Promise<void> {
    return this.#scheduler.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
