import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pid } from 'node:process'
import { openStore, type Store } from '@callboard/store'
import type { KernelConfig } from './config.js'
import type { Containment } from './isolation/containment.js'
import { reapOrphans } from './isolation/orphans.js'
import { identityOf, stateOf } from './isolation/process-identity.js'
import { InstanceKeeper } from './kernel/instance-keeper.js'
import type { Kernel } from './kernel/kernel.js'
import { KernelPool } from './kernel/kernel-pool.js'
import { toolErrorOf } from './kernel/module-failure.js'
import { sessionListener } from './kernel/session-listener.js'
import { OutputKeeper } from './output/output-keeper.js'
import { Spool } from './output/spool.js'
import { InstanceRecords } from './records/instance-records.js'
import { KernelRecords } from './records/kernel-records.js'
import { RunRecords } from './records/run-records.js'
import { type KernelSchema, migrations } from './records/schema.js'
import { containPython } from './runtime/python/contain-python.js'
import { runtimeStarter } from './runtime/start-runtime.js'
import { openSessions, type Sessions } from './session/open-sessions.js'
import { Attendance } from './tools/attendance.js'
import { docs } from './tools/docs-method.js'
import type { HelpSource, RegisteredTool } from './tools/help.js'
import { PythonApiReader } from './tools/python-api.js'

export interface HouseOptions {
  readonly config: KernelConfig
  /** Holds the database (unless `databaseUrl` is given), the output and the working directories of the kernels. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** What no kernel may see, beside the data directory. */
  readonly maskedPaths: readonly string[]
}

/** Everything that the tools stand on. */
export interface House {
  readonly config: KernelConfig
  readonly pool: KernelPool
  readonly runs: RunRecords
  readonly spool: Spool
  readonly sessions: Sessions
  readonly attendance: Attendance
  readonly containment: Containment
  /** Filled as tools are registered. */
  readonly tools: RegisteredTool[]
  helpSource(): Promise<HelpSource>
  /** What is between code and the machine, in one sentence, before there is a kernel to ask. */
  isolation(): Promise<string>
  /** Every kernel ends within a second, then the store. Idempotent. */
  close(): Promise<void>
}

/** Settles first what dead instances of the worker have left. Rejects with a StoreError. */
export async function openHouse({ config, dataDirectory, databaseUrl, maskedPaths }: HouseOptions): Promise<House> {
  const containment = containPython(config, [dataDirectory, ...maskedPaths])
  // Now, so that the first eval need not wait for it; what fails is said to that one.
  containment.find().catch(() => {})
  const store = await openStore<KernelSchema>({
    name: 'kernel',
    migrations,
    dataDirectory,
    ...(databaseUrl !== undefined && { databaseUrl }),
    // Rows explain what happened; variables die with the machine anyway.
    durability: 'normal',
    // Replicas on one machine share the file.
    access: 'shared',
  })
  const instance = randomUUID()
  const runs = new RunRecords(store, instance)
  const kernels = new KernelRecords(store, instance)
  const sessions = openSessions(store, instance)
  const keeper = instanceKeeper(instance, store, runs, kernels, sessions)
  await keeper.start(pid, (await identityOf(pid))?.pidStarted ?? null)
  const spool = await Spool.open({
    directory: join(dataDirectory, 'kernel', 'spool'),
    bytesMax: config.spoolBytesMax,
  })
  const tools: RegisteredTool[] = []
  const python = new PythonApiReader(config.python)
  const isolation = () => containment.find().then(({ sandbox }) => sandbox.description, describeFailure)
  const helpSource = async () => ({ tools, config, python: await python.read(), isolation: await isolation() })
  const currentSession = async (kernel: Kernel) => {
    try {
      return (await sessions.service.current(kernel)).id
    } catch (error) {
      throw toolErrorOf(error)
    }
  }
  const pool = new KernelPool(
    config,
    {
      runs,
      kernels,
      outputs: new OutputKeeper(spool, runs),
      startRuntime: runtimeStarter(config, dataDirectory, containment, currentSession),
      currentSession,
      listener: sessionListener(sessions.service, async (params) => docs(params, await helpSource())),
    },
    (kernel) => sessions.service.release(kernel),
  )
  const closeAll = async () => {
    await pool.close()
    await sessions.service.close()
    await keeper.close()
    await store.close()
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeAll()
    return closing
  }
  return {
    config,
    pool,
    runs,
    spool,
    sessions,
    attendance: new Attendance(),
    containment,
    tools,
    helpSource,
    isolation,
    close,
  }
}

function instanceKeeper(
  id: string,
  store: Store<KernelSchema>,
  runs: RunRecords,
  kernels: KernelRecords,
  sessions: Sessions,
): InstanceKeeper {
  return new InstanceKeeper({
    id,
    records: new InstanceRecords(store),
    stateOf,
    bury: async (instance) => {
      await reapOrphans(await kernels.openOf(instance))
      await runs.bury(instance)
      await kernels.bury(instance)
      await sessions.records.releaseInstance(instance)
    },
  })
}

function describeFailure(error: unknown): string {
  return `unknown until a kernel starts: ${error instanceof Error ? error.message : String(error)}`
}
