import { readFileSync } from 'node:fs'
import type { RunningWorker, RunOptions, Worker } from './api.js'

/** What stands behind a worker: databases, loops, programs. */
export interface Backing {
  /** Before the worker signs in. */
  start?(): Promise<void> | void
  /** Idempotent. */
  close(): Promise<void>
}

/** A definition and what stands behind it, which is closed however the worker ends. */
export class WorkerProgram implements AsyncDisposable {
  /** The definition, e.g. for `connectForTest`. */
  readonly worker: Worker
  readonly #backing: Backing

  constructor(worker: Worker, backing: Backing) {
    this.worker = worker
    this.#backing = backing
  }

  /** Runs until drained, see `Worker.run`. */
  async run(options?: RunOptions): ReturnType<Worker['run']> {
    try {
      await this.#backing.start?.()
      return await this.worker.run(options)
    } finally {
      await this.close()
    }
  }

  /** Resolves when signed in; the end of the handle closes all. */
  async start(options?: RunOptions): Promise<RunningWorker> {
    try {
      await this.#backing.start?.()
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

  /** Idempotent. */
  close(): Promise<void> {
    return this.#backing.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** The version in the manifest of the package whose module, one folder below the manifest, asks: `import.meta.url`. */
export function packageVersion(moduleUrl: string): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', moduleUrl), 'utf8')) as { version: string }
  return manifest.version
}
