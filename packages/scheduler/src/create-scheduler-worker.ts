import { defineWorker, packageVersion, type RunOptions, type Worker, WorkerProgram } from '@callboard/worker'
import { systemClock } from '@callboard/worker/clock'
import { concurrentCallsMax } from './limits.js'
import { openScheduler, type Scheduler, type SchedulerOptions } from './open-scheduler.js'

/** The worker with its database and engine. Rejects with a SchedulerConfigError, a GroupsFileError or a StoreError. */
export async function createSchedulerWorker(options: SchedulerOptions): Promise<SchedulerWorker> {
  let scheduler: Scheduler | undefined
  const worker = defineWorker({
    service: 'scheduler',
    version: packageVersion(import.meta.url),
    concurrency: concurrentCallsMax,
    replicas: 'many',
    holdUntil: () => scheduler?.holdUntil,
  })
  scheduler = await openScheduler(worker, options, { clock: systemClock })
  return new SchedulerWorker(worker, scheduler)
}

/** SIGHUP reads the groups file again. */
export class SchedulerWorker extends WorkerProgram {
  readonly #scheduler: Scheduler

  constructor(worker: Worker, scheduler: Scheduler) {
    super(worker, scheduler)
    this.#scheduler = scheduler
  }

  override async run(options?: RunOptions): ReturnType<Worker['run']> {
    const reload = () => void this.#scheduler.groups.reload()
    process.on('SIGHUP', reload)
    try {
      return await super.run(options)
    } finally {
      process.off('SIGHUP', reload)
    }
  }
}
