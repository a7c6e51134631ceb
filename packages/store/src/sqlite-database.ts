import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import SqliteFile from 'better-sqlite3'
import { Kysely, SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { OpenDatabase } from './database-store.js'
import { lockWaitMs, sqliteBusyTimeoutMs } from './limits.js'
import { retryWhileBusy, sqliteRules } from './sqlite-driver-rules.js'
import { sqliteError } from './sqlite-error.js'
import { SqliteOwnership } from './sqlite-ownership.js'
import { portableValues } from './sqlite-values.js'
import { StoreDriver } from './store-driver.js'
import type { TransactionScope } from './transaction-scope.js'

export interface SqliteOptions {
  readonly name: string
  readonly dataDirectory: string
  readonly durability: 'full' | 'normal'
  readonly access: 'exclusive' | 'shared'
}

export async function openSqlite<Schema>(
  options: SqliteOptions,
  scope: TransactionScope,
): Promise<OpenDatabase<Schema>> {
  const path = join(options.dataDirectory, `${options.name}.sqlite`)
  let ownership: SqliteOwnership | undefined
  try {
    mkdirSync(options.dataDirectory, { recursive: true, mode: 0o700 })
    if (options.access === 'exclusive') ownership = await SqliteOwnership.acquire(path)
    const file = await openFile(path, options.durability)
    return {
      dialect: 'sqlite',
      db: createKysely(file, path, scope),
      async release() {
        file.close()
        ownership?.release()
      },
    }
  } catch (error) {
    ownership?.release()
    throw sqliteError(error, path)
  }
}

async function openFile(path: string, durability: SqliteOptions['durability']): Promise<SqliteFile.Database> {
  createPrivateFile(path)
  const file = new SqliteFile(path, { timeout: sqliteBusyTimeoutMs })
  try {
    // Two processes that create the file at once exclude each other here.
    await retryWhileBusy(() => file.pragma('journal_mode = WAL'), lockWaitMs)
    file.pragma(`synchronous = ${durability}`)
    file.pragma('foreign_keys = ON')
    // LIKE then means what it means in PostgreSQL.
    file.pragma('case_sensitive_like = ON')
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

/**
 * Only a file that is new is opened here: closing any descriptor of a file drops the locks that SQLite holds on it in this
 * process. SQLite gives its companions (-wal, -shm) the mode of the database.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    chmodSync(path, 0o600)
  }
}

function createKysely<Schema>(file: SqliteFile.Database, path: string, scope: TransactionScope): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () =>
        new StoreDriver(new SqliteDriver({ database: portableValues(file) }), sqliteRules(path), scope),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}
