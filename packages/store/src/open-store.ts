import { DatabaseStore } from './database-store.js'
import { type Migration, migrate } from './migrate.js'
import { openPostgres } from './postgres-database.js'
import { openSqlite } from './sqlite-database.js'
import type { Store } from './store.js'
import { TransactionScope } from './transaction-scope.js'

export interface StoreOptions {
  /** Lower-case letters, digits and `_`, at most 40. Names the SQLite file and the PostgreSQL schema. */
  readonly name: string
  readonly migrations: readonly Migration[]
  /** Created with mode 0700 when absent; an existing directory keeps its mode. */
  readonly dataDirectory: string
  /** `postgres://…`, a direct connection or a pooler in session mode. Absent: SQLite in the data directory. */
  readonly databaseUrl?: string
  /** `full`: a commit survives a power failure. `normal`: it survives the process, and SQLite may lose the last ones with the power. */
  readonly durability: 'full' | 'normal'
  /** `exclusive` (the default): a second process that opens the store exclusively is refused. `shared`: any number may. */
  readonly access?: 'exclusive' | 'shared'
}

/** Opens the store, creates what is absent and runs the outstanding migrations. Rejects with a StoreError. */
export async function openStore<Schema>(options: StoreOptions): Promise<Store<Schema>> {
  const { name, migrations, databaseUrl, durability, access = 'exclusive' } = options
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) throw new TypeError(`"${name}" cannot name a store`)

  const scope = new TransactionScope(name)
  const database =
    databaseUrl === undefined
      ? await openSqlite<Schema>({ name, dataDirectory: options.dataDirectory, durability, access }, scope)
      : await openPostgres<Schema>({ name, databaseUrl, durability, access }, scope)
  const store = new DatabaseStore(name, database, scope)
  try {
    await migrate(store, name, migrations)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
