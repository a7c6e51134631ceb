import { readFileSync } from 'node:fs'
import { openStore, type Store } from '@callboard/store'
import { defineWorker, type RunOptions, type Worker } from '@callboard/worker'
import { parseSchedulerConfig } from './config.js'
import { migrations } from './records/migrations.js'
import type { SchedulerSchema } from './records/schema.js'

export interface SchedulerWorkerOptions {
  /** Holds the database (unless `databaseUrl` is given), the groups file and the groups' directories. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** Section `scheduler` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
}

/** The worker with its database and engine. Rejects with a SchedulerConfigError, a GroupsFileError or a StoreError. */
export async function createSchedulerWorker(options: SchedulerWorkerOptions): Promise<SchedulerWorker> {
  const { dataDirectory, databaseUrl } = options
  parseSchedulerConfig(options.config)
  const store = await openStore<SchedulerSchema>({
    name: 'scheduler',
    migrations,
    dataDirectory,
    ...(databaseUrl !== undefined && { databaseUrl }),
    // A schedule that was confirmed must survive the power.
    durability: 'full',
    // Replicas share the work.
    access: 'shared',
  })
  return new SchedulerWorker(
    defineWorker({ service: 'scheduler', version: packageVersion(), concurrency: 64, replicas: 'many' }),
    store,
  )
}

export class SchedulerWorker implements AsyncDisposable {
  readonly worker: Worker
  readonly #store: Store<SchedulerSchema>

  constructor(worker: Worker, store: Store<SchedulerSchema>) {
    this.worker = worker
    this.#store = store
  }

  /** Runs until drained, see `Worker.run`. */
  async run(options?: RunOptions): ReturnType<Worker['run']> {
    try {
      return await this.worker.run(options)
    } finally {
      await this.close()
    }
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
