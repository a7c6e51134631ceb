import {
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { ClientConfig } from 'pg'
import type { OpenDatabase } from './database-store.js'
import {
  connectionsMax,
  connectTimeoutMs,
  keepaliveIdleSeconds,
  keepaliveIntervalSeconds,
  keepaliveProbesMax,
  lockWaitMs,
} from './limits.js'
import type { PgModule } from './pg-module.js'
import { type PostgresAddress, parsePostgresUrl } from './postgres-address.js'
import { postgresRules } from './postgres-driver-rules.js'
import { postgresError } from './postgres-error.js'
import { PostgresOwnership } from './postgres-ownership.js'
import { postgresTypeParsers } from './postgres-type-parsers.js'
import { StoreDriver } from './store-driver.js'
import type { TransactionScope } from './transaction-scope.js'

export interface PostgresOptions {
  readonly name: string
  readonly databaseUrl: string
  readonly durability: 'full' | 'normal'
  readonly access: 'exclusive' | 'shared'
}

export async function openPostgres<Schema>(
  options: PostgresOptions,
  scope: TransactionScope,
): Promise<OpenDatabase<Schema>> {
  const schema = `callboard_${options.name}`
  const address = parsePostgresUrl(options.databaseUrl, sessionSettings(schema, options.durability))
  const { default: pg } = await import('pg')
  const config = clientConfig(pg, address)
  const ownership = options.access === 'exclusive' ? new PostgresOwnership(pg, config, schema) : undefined
  const db = createKysely<Schema>(createPool(pg, config), schema, address, ownership, scope)
  const release = async () => ownership?.release()
  try {
    await ownership?.hold()
    await createSchema(db, schema)
    return { dialect: 'postgres', db, release }
  } catch (error) {
    await db.destroy()
    await release()
    throw postgresError(error, address)
  }
}

function sessionSettings(schema: string, durability: PostgresOptions['durability']): Record<string, string> {
  return {
    search_path: schema,
    lock_timeout: `${lockWaitMs}ms`,
    // 'off' may lose the last commits with the server, as SQLite's NORMAL with the power; it never corrupts.
    synchronous_commit: durability === 'full' ? 'on' : 'off',
    tcp_keepalives_idle: String(keepaliveIdleSeconds),
    tcp_keepalives_interval: String(keepaliveIntervalSeconds),
    tcp_keepalives_count: String(keepaliveProbesMax),
  }
}

function clientConfig(pg: PgModule, address: PostgresAddress): ClientConfig {
  return {
    connectionString: address.connectionString,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: 'callboard',
    types: postgresTypeParsers(pg),
  }
}

/** A connection may break while nobody waits for it. Whoever uses it next is told; without a listener the process would end. */
function createPool(pg: PgModule, config: ClientConfig): PostgresPool {
  const pool = new pg.Pool({ ...config, max: connectionsMax })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function createKysely<Schema>(
  pool: PostgresPool,
  schema: string,
  address: PostgresAddress,
  ownership: PostgresOwnership | undefined,
  scope: TransactionScope,
): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () =>
        new StoreDriver(new PostgresDriver({ pool }), postgresRules(schema, address, ownership), scope),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** Under the write lock: two processes that create a schema at once would fail. Looked up first: creating needs a privilege. */
async function createSchema<Schema>(db: Kysely<Schema>, schema: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const found = await sql<{ oid: unknown }>`select oid from pg_namespace where nspname = ${schema}`.execute(
      transaction,
    )
    if (found.rows.length === 0) await transaction.schema.createSchema(schema).execute()
  })
}
