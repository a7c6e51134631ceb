import type { Kysely, Transaction } from 'kysely'
import { columnsFor } from './columns.js'
import type { DialectName, Store } from './store.js'
import { StoreError } from './store-error.js'

/** One step forward. `name` is what the database records: never rename, reorder or remove one that was released. */
export interface Migration {
  readonly name: string
  /** Runs once, in a transaction of its own. For data, `db.withTables<…>()` names the tables as they are at that step. */
  up(db: Kysely<unknown>, dialect: DialectName): Promise<void>
}

// A type, not an interface: Kysely asks for an index signature.
type MigrationSchema = {
  callboard_migrations: { position: number; name: string; applied_at: number }
}

/** Runs what is outstanding. Each step reads the record under the write lock, so of two processes one runs it. */
export async function migrate<Schema>(
  store: Store<Schema>,
  storeName: string,
  migrations: readonly Migration[],
): Promise<void> {
  refuseDuplicates(migrations)
  await store.transaction((transaction) => createRecord(transaction as Transaction<unknown>, store.dialect))
  let outstanding = true
  while (outstanding) {
    outstanding = await store.transaction((transaction) =>
      step(transaction as Transaction<unknown>, store.dialect, storeName, migrations),
    )
  }
}

async function step(
  transaction: Transaction<unknown>,
  dialect: DialectName,
  storeName: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  const records = transaction.withTables<MigrationSchema>()
  const applied = await records.selectFrom('callboard_migrations').select('name').orderBy('position').execute()
  refuseForeignHistory(
    storeName,
    applied.map(({ name }) => name),
    migrations.map(({ name }) => name),
  )
  const next = migrations[applied.length]
  if (!next) return false
  await next.up(transaction, dialect)
  await records
    .insertInto('callboard_migrations')
    .values({ position: applied.length, name: next.name, applied_at: Date.now() })
    .execute()
  return true
}

async function createRecord(transaction: Transaction<unknown>, dialect: DialectName): Promise<void> {
  const column = columnsFor(dialect)
  await transaction.schema
    .createTable('callboard_migrations')
    .ifNotExists()
    .addColumn('position', column.integer, (position) => position.primaryKey())
    .addColumn('name', column.text, (name) => name.notNull().unique())
    .addColumn('applied_at', column.milliseconds, (appliedAt) => appliedAt.notNull())
    .execute()
}

/** The record must be a beginning of the program's list. */
function refuseForeignHistory(storeName: string, applied: readonly string[], known: readonly string[]): void {
  const unknown = applied.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new StoreError(
      'newer',
      `The database "${storeName}" was written by a newer Callboard (migration "${unknown}"): upgrade this program, or give it another data directory or DATABASE_URL.`,
    )
  }
  const misplaced = applied.find((name, position) => known[position] !== name)
  if (misplaced === undefined) return
  throw new Error(`Migrations may only be appended, but "${misplaced}" has already run in the store "${storeName}"`)
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names = migrations.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error(`Two migrations share a name: ${names.join(', ')}`)
}
