import { readFileSync } from 'node:fs'
import { defineWorker, type RunningWorker, type RunOptions, type Worker } from '@callboard/worker'
import { systemClock } from './clock.js'
import { concurrentCallsMax } from './limits.js'
import { openSocial, type Social, type SocialOptions } from './open-social.js'

/** The worker with its database and networks. Rejects with a SocialConfigError or a StoreError. */
export async function createSocialWorker(options: SocialOptions): Promise<SocialWorker> {
  let social: Social | undefined
  const worker = defineWorker({
    service: 'social',
    version: packageVersion(),
    concurrency: concurrentCallsMax,
    replicas: 'many',
    holdUntil: () => social?.holdUntil,
  })
  social = await openSocial(worker, options, { clock: systemClock })
  return new SocialWorker(worker, social)
}

/** The definition and what stands behind it. However it ends, its loops are stopped, then the database is closed. */
export class SocialWorker implements AsyncDisposable {
  /** The definition, e.g. for `connectForTest`. */
  readonly worker: Worker
  readonly #social: Social

  constructor(worker: Worker, social: Social) {
    this.worker = worker
    this.#social = social
  }

  /** Runs until drained, see `Worker.run`. */
  async run(options?: RunOptions): ReturnType<Worker['run']> {
    try {
      await this.#social.start()
      return await this.worker.run(options)
    } finally {
      await this.close()
    }
  }

  /** Resolves when signed in; the end of the handle closes all. */
  async start(options?: RunOptions): Promise<RunningWorker> {
    try {
      await this.#social.start()
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
    return this.#social.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
