import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '@callboard/store'
import {
  type Context,
  defineWorker,
  type RunningWorker,
  type RunOptions,
  type ToolError,
  type ToolResult,
  type Worker,
} from '@callboard/worker'
import { parseKernelConfig } from './config.js'
import type { Containment } from './isolation/containment.js'
import type { Agent } from './kernel/agent.js'
import { thisInstance } from './kernel/instance.js'
import type { Kernel } from './kernel/kernel.js'
import { KernelPool, type PoolHouse } from './kernel/kernel-pool.js'
import { type Failure, refusedReport } from './kernel/run-report.js'
import { callTool } from './kernel/tool-request.js'
import { OutputKeeper } from './output/output-keeper.js'
import { Spool } from './output/spool.js'
import { KernelRecords } from './records/kernel-records.js'
import { SessionRecords } from './records/records.js'
import { RunRecords } from './records/run-records.js'
import { type KernelSchema, migrations } from './records/schema.js'
import { containPython } from './runtime/python/contain-python.js'
import { runtimeStarter } from './runtime/start-runtime.js'
import { evalSpec, runEval } from './tools/eval-tool.js'
import type { RegisteredTool } from './tools/help.js'
import { help, helpSpec } from './tools/help-tool.js'
import { historySpec, listRuns } from './tools/history-tool.js'
import { interruptRun, interruptSpec } from './tools/interrupt-tool.js'
import { peekRun, peekSpec } from './tools/peek-tool.js'
import { PythonApiReader } from './tools/python-api.js'
import { resetKernel, resetSpec } from './tools/reset-tool.js'
import { readSession, sessionSpec } from './tools/session-tool.js'
import { waitForRun, waitSpec } from './tools/wait-tool.js'

export interface KernelWorkerOptions {
  /** Holds the database (unless `databaseUrl` is given) and the working directories of the kernels. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** What no kernel may see, beside the data directory: the hub's runtime directory, files with secrets. */
  readonly maskedPaths?: readonly string[]
  /** Section `kernel` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
}

/** The worker with the store and the kernels behind it. Rejects with a KernelConfigError or a StoreError. */
export async function createKernelWorker(options: KernelWorkerOptions): Promise<KernelWorker> {
  const config = parseKernelConfig(options.config)
  const store = await openStore<KernelSchema>({
    name: 'kernel',
    migrations,
    dataDirectory: options.dataDirectory,
    ...(options.databaseUrl !== undefined && { databaseUrl: options.databaseUrl }),
    // Rows explain what happened; variables die with the machine anyway.
    durability: 'normal',
    // Replicas on one machine share the file.
    access: 'shared',
  })
  const spool = await Spool.open({
    directory: join(options.dataDirectory, 'kernel', 'spool'),
    bytesMax: config.spoolBytesMax,
  })
  const containment = containPython(config, [options.dataDirectory, ...(options.maskedPaths ?? [])])
  // Now, so that the first eval need not wait for it; what fails is said to that one.
  containment.find().catch(() => {})
  const instance = thisInstance()
  const runs = new RunRecords(store, instance)
  const sessions = new SessionRecords(store)
  const currentSession = async ({ owner, key }: Kernel) => (await sessions.currentSession(owner, key)).id
  const house: PoolHouse = {
    runs,
    kernels: new KernelRecords(store, instance),
    outputs: new OutputKeeper(spool, runs),
    startRuntime: runtimeStarter(config, options.dataDirectory, containment, currentSession),
    currentSession,
    listener: {
      started: () => {},
      ended: () => {},
      runStarted: () => {},
      runEnded: () => {},
      reset: async (kernel, _level, clearSession) => {
        if (!clearSession) return
        await sessions.clearSession((await sessions.currentSession(kernel.owner, kernel.key)).id)
      },
      request: (kernel, request) => {
        if (request.method === 'tool') return callTool(kernel.findRun(request.run ?? 0), request)
        return request.reject('UnavailableError', `${request.method} is not served.`)
      },
      notice: () => {},
    },
  }
  const pool = new KernelPool(config, house, ({ owner, key }) => sessions.release(owner, key))
  const worker = defineWorker({
    service: 'kernel',
    version: packageVersion(),
    // Enough for all kernels and their first waiting runs, so that a busy house still answers weave_session.
    concurrency: 256,
    replicas: 'many',
    affinity: 'principal',
    holdUntil: () => pool.busyUntil,
    formatError,
  })
  const tools: RegisteredTool[] = []
  const tool: typeof worker.tool = (name: string, spec: never, handler: never) => {
    tools.push({ name, spec })
    return worker.tool(name, spec, handler)
  }
  tool('weave_eval', evalSpec, (input, context) => runEval(input, context, agentOf(context), { pool, config }))
  tool('weave_wait', waitSpec, (input, context) =>
    waitForRun(input, context, agentOf(context), { pool, runs, foregroundS: config.foregroundS }),
  )
  tool('weave_peek', peekSpec, (input, context) => peekRun(input, agentOf(context), { pool, runs, spool }))
  tool('weave_interrupt', interruptSpec, (input, context) => interruptRun(input, agentOf(context), { pool, runs }))
  tool('weave_session', sessionSpec, ({ session_id, kernel }, context) => {
    const agent = agentOf(context)
    return readSession(session_id, agent, sessions, pool.kernelOf(agent, kernel))
  })
  tool('weave_reset', resetSpec, (input, context) => resetKernel(input, agentOf(context), pool))
  tool('weave_history', historySpec, (input, context) => listRuns(input, agentOf(context), runs))
  const python = new PythonApiReader(config.python)
  tool('weave_help', helpSpec, async ({ topic }) => help(topic, { tools, config, python: await python.read() }))
  worker.onSessionClosed((session) => {
    // If the store is away, its session stays held and is not taken over.
    pool.closeSession(session).catch(() => {})
  })
  return new KernelWorker(worker, pool, containment, store)
}

/** The definition and what stands behind it. However it ends, every kernel ends within a second, then the store. */
export class KernelWorker implements AsyncDisposable {
  /** The definition, e.g. for `connectForTest`. */
  readonly worker: Worker
  readonly pool: KernelPool
  /** What holds its kernels. */
  readonly containment: Containment
  readonly #store: { close(): Promise<void> }

  constructor(worker: Worker, pool: KernelPool, containment: Containment, store: { close(): Promise<void> }) {
    this.worker = worker
    this.pool = pool
    this.containment = containment
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

  /** Resolves when signed in. `stop()` of the handle, or its end for another reason, closes all. */
  async start(options?: RunOptions): Promise<RunningWorker> {
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

  /** Idempotent. */
  async close(): Promise<void> {
    await this.pool.close()
    await this.#store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function agentOf({ caller }: Context): Agent {
  return { owner: caller.onBehalfOf ?? caller.principal, session: caller.session }
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

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
