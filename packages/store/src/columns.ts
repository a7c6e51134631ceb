import { type CreateTableBuilder, type RawBuilder, sql } from 'kysely'
import type { DialectName } from './store.js'

/** A boolean as it is stored and selected, also as the value of `exists(…)` or a comparison. */
export type Flag = 0 | 1

export function flag(value: boolean): Flag {
  return value ? 1 : 0
}

/** Column types under which both databases keep, compare and return the same JavaScript values. */
export interface Columns {
  /** Any safe integer. A larger one is refused when it is read (StoreError `corrupt`). */
  readonly integer: 'bigint'
  /** Integer UTC milliseconds. */
  readonly milliseconds: 'bigint'
  readonly real: 'double precision'
  /** A `Flag`. */
  readonly flag: 'integer'
  /** Sorts by code point. PostgreSQL refuses U+0000 in it. */
  readonly text: 'text' | RawBuilder<unknown>
  /** JSON as text: stringify before, parse after. */
  readonly json: 'text'
  /** `.$call(column.autoIncrementId())`: an integer primary key that the database assigns and never uses twice. */
  autoIncrementId<Name extends string = 'id'>(
    name?: Name,
  ): <Table extends string, Column extends string>(
    table: CreateTableBuilder<Table, Column>,
  ) => CreateTableBuilder<Table, Column | Name>
}

/** For migrations: `const column = columnsFor(dialect)`. */
export function columnsFor(dialect: DialectName): Columns {
  return {
    integer: 'bigint',
    milliseconds: 'bigint',
    real: 'double precision',
    flag: 'integer',
    // The database's own collation follows the server's locale.
    text: dialect === 'postgres' ? sql`text collate "C"` : 'text',
    json: 'text',
    autoIncrementId: (name) => (table) =>
      dialect === 'postgres'
        ? table.addColumn(name ?? 'id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
        : table.addColumn(name ?? 'id', 'integer', (column) => column.primaryKey().autoIncrement()),
  }
}
