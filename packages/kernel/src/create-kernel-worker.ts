import {
  defineWorker,
  packageVersion,
  type RunningWorker,
  type RunOptions,
  type ToolError,
  type ToolResult,
  type Worker,
  WorkerProgram,
} from '@callboard/worker'
import { parseKernelConfig } from './config.js'
import type { Containment } from './isolation/containment.js'
import type { KernelPool } from './kernel/kernel-pool.js'
import { type Failure, refusedReport } from './kernel/run-report.js'
import { concurrentCallsMax } from './limits.js'
import { type House, openHouse } from './open-house.js'
import { registerTools } from './tools/register-tools.js'

export interface KernelWorkerOptions {
  /** Holds the database (unless `databaseUrl` is given), the output and the working directories of the kernels. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** What no kernel may see, beside the data directory: the hub's runtime directory, files with secrets. */
  readonly maskedPaths?: readonly string[]
  /** Section `kernel` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
}

/** The worker with the store and the kernels behind it. Rejects with a KernelConfigError or a StoreError. */
export async function createKernelWorker(options: KernelWorkerOptions): Promise<KernelWorker> {
  const { dataDirectory, databaseUrl, maskedPaths = [] } = options
  const config = parseKernelConfig(options.config)
  const house = await openHouse({
    config,
    dataDirectory,
    maskedPaths,
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
  const worker = defineWorker({
    service: 'kernel',
    version: packageVersion(import.meta.url),
    // Enough for all kernels and their first waiting runs, so that a busy house still answers weave_session.
    concurrency: concurrentCallsMax,
    replicas: 'many',
    affinity: 'principal',
    holdUntil: () => house.pool.busyUntil,
    formatError,
  })
  registerTools(worker, house)
  worker.onSessionClosed((session) => {
    // If the store is away, its session stays held and is not taken over.
    house.pool.closeSession(session).catch(() => {})
  })
  return new KernelWorker(worker, house)
}

/** The definition and what stands behind it. However it ends, every kernel ends within a second, then the store. */
export class KernelWorker extends WorkerProgram {
  readonly #house: House

  constructor(worker: Worker, house: House) {
    super(worker, house)
    this.#house = house
  }

  get pool(): KernelPool {
    return this.#house.pool
  }

  /** What holds its kernels. */
  get containment(): Containment {
    return this.#house.containment
  }

  /** Resolves when signed in. `stop()` of the handle, or its end for another reason, closes all. */
  override async start(options?: RunOptions): Promise<RunningWorker> {
    const running = await this.worker.start(options).catch(async (error: unknown) => {
      await this.close()
      throw error
    })
    const closed = running.closed.finally(() => this.close())
    closed.catch(() => {})
    // Not after the drain, which could wait for a cell for half a minute: a kernel's state ends here in any case.
    const stop = async () => {
      await Promise.all([this.pool.close(), running.stop()])
      await this.close()
    }
    return {
      get service() {
        return running.service
      },
      get instance() {
        return running.instance
      },
      get state() {
        return running.state
      },
      get refused() {
        return running.refused
      },
      closed,
      stop,
      [Symbol.asyncDispose]: stop,
    }
  }
}

/** These fill all their fields even when they refuse: their `error` is a string by contract. */
function formatError(error: ToolError, tool: { readonly name: string; readonly hasOutputSchema: boolean }): ToolResult {
  const { code, message, retryable, retryAfterMs } = error
  const failure: Failure = { code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  const value = runTools.has(tool.name) ? refusedReport(failure) : undefined
  return {
    content: [{ type: 'text', text: JSON.stringify(value ?? failure) }],
    ...(value && { structuredContent: value }),
    isError: true,
    _meta: { 'callboard/error': failure },
  }
}

const runTools: ReadonlySet<string> = new Set(['weave_eval', 'weave_wait'])
