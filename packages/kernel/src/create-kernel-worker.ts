import { readFileSync } from 'node:fs'
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
import type { Agent } from './kernel/agent.js'
import { thisInstance } from './kernel/instance.js'
import type { Kernel } from './kernel/kernel.js'
import { KernelPool, type PoolHouse } from './kernel/kernel-pool.js'
import { type Failure, refusedReport } from './kernel/run-report.js'
import { sessionListener } from './kernel/session-listener.js'
import { RunOutput } from './output/run-output.js'
import { KernelRecords } from './records/kernel-records.js'
import { RunRecords } from './records/run-records.js'
import { type KernelSchema, migrations } from './records/schema.js'
import { runtimeStarter } from './runtime/start-runtime.js'
import { openSessions } from './session/open-sessions.js'
import { docs } from './tools/docs-method.js'
import { evalSpec, runEval } from './tools/eval-tool.js'
import { eventsSpec, readEvents } from './tools/events-tool.js'
import type { RegisteredTool } from './tools/help.js'
import { help, helpSpec } from './tools/help-tool.js'
import { historySpec, listRuns } from './tools/history-tool.js'
import { interruptRun, interruptSpec } from './tools/interrupt-tool.js'
import { PythonApiReader } from './tools/python-api.js'
import { resetKernel, resetSpec } from './tools/reset-tool.js'
import { readSession, sessionSpec } from './tools/session-tool.js'
import { waitForRun, waitSpec } from './tools/wait-tool.js'

export interface KernelWorkerOptions {
  /** Holds the database (unless `databaseUrl` is given) and the working directories of the kernels. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
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
  const instance = thisInstance()
  const runs = new RunRecords(store, instance)
  const sessions = openSessions(store, instance)
  const currentSession = async (kernel: Kernel) => (await sessions.service.current(kernel)).id
  const python = new PythonApiReader(config.python)
  const tools: RegisteredTool[] = []
  const house: PoolHouse = {
    runs,
    kernels: new KernelRecords(store, instance),
    startRuntime: runtimeStarter(config, options.dataDirectory, currentSession),
    openOutput: (_owner, _runId, onChange) => new RunOutput(onChange),
    currentSession,
    listener: sessionListener(sessions.service, async (params) =>
      docs(params, { tools, config, python: await python.read() }),
    ),
  }
  const pool = new KernelPool(config, house, (kernel) => sessions.service.release(kernel))
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
  const tool: typeof worker.tool = (name: string, spec: never, handler: never) => {
    tools.push({ name, spec })
    return worker.tool(name, spec, handler)
  }
  tool('weave_eval', evalSpec, (input, context) => runEval(input, context, agentOf(context), { pool, config }))
  tool('weave_wait', waitSpec, (input, context) =>
    waitForRun(input, context, agentOf(context), { pool, runs, foregroundS: config.foregroundS }),
  )
  tool('weave_interrupt', interruptSpec, (input, context) => interruptRun(input, agentOf(context), { pool, runs }))
  tool('weave_session', sessionSpec, (input, context) => {
    const agent = agentOf(context)
    return readSession(input, agent, sessions, pool.kernelOf(agent, input.kernel))
  })
  tool('weave_reset', resetSpec, (input, context) => resetKernel(input, agentOf(context), pool))
  tool('weave_history', historySpec, (input, context) => listRuns(input, agentOf(context), runs))
  tool('weave_events', eventsSpec, (input, context) =>
    readEvents(input, agentOf(context).owner, sessions.events, context.signal),
  )
  tool('weave_help', helpSpec, async ({ topic }) => help(topic, { tools, config, python: await python.read() }))
  worker.onSessionClosed((session) => {
    // If the store is away, its session stays held and is not taken over.
    pool.closeSession(session).catch(() => {})
  })
  const stored = {
    async close() {
      await sessions.service.close()
      await store.close()
    },
  }
  return new KernelWorker(worker, pool, stored)
}

/** The definition and what stands behind it. However it ends, every kernel ends within a second, then the store. */
export class KernelWorker implements AsyncDisposable {
  /** The definition, e.g. for `connectForTest`. */
  readonly worker: Worker
  readonly pool: KernelPool
  readonly #store: { close(): Promise<void> }

  constructor(worker: Worker, pool: KernelPool, store: { close(): Promise<void> }) {
    this.worker = worker
    this.pool = pool
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
