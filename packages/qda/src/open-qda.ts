import { openStore } from '@callboard/store'
import type { Worker } from '@callboard/worker'
import type { Clock } from '@callboard/worker/clock'
import { parseQdaConfig } from './config.js'
import { readEnvironment, type Variables } from './environment.js'
import { stderrLog } from './log.js'
import { migrations } from './records/migrations.js'
import type { QdaSchema } from './records/schema.js'
import { registerTools, type ToolsOf } from './tools/register-tools.js'

export interface QdaOptions {
  /** Holds the database, unless `databaseUrl` is given. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** Section `qda` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
  /** Default: the environment. */
  readonly variables?: Variables
}

/** What it takes from outside of its process. */
export interface Surroundings {
  readonly clock: Clock
  /** Default: all there are. */
  readonly tools?: ToolsOf
}

/** Everything behind the tools. */
export interface Qda {
  /** Closes the projects, then the database. Idempotent. */
  close(): Promise<void>
}

/** Registers the tools, too. Rejects with a QdaConfigError or a StoreError. */
export async function openQda(
  worker: Worker,
  options: QdaOptions,
  { clock, tools: toolsOf }: Surroundings,
): Promise<Qda> {
  const { logLevel, home } = readEnvironment(options.variables)
  const config = parseQdaConfig(options.config, home)
  const log = stderrLog(logLevel)
  const store = await openStore<QdaSchema>({
    name: 'qda',
    migrations,
    dataDirectory: options.dataDirectory,
    ...(options.databaseUrl !== undefined && { databaseUrl: options.databaseUrl }),
    // What is here can be read again from the projects.
    durability: 'normal',
  })
  try {
    const tools = registerTools(worker, { config, store, clock, log }, toolsOf)
    let closing: Promise<void> | undefined
    return {
      close: () => {
        closing ??= tools.close().finally(() => store.close())
        return closing
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
