import type SqliteFile from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'
import { safeInteger } from './safe-integer.js'

/** Numbers go in and come out as in PostgreSQL. */
export function portableValues(file: SqliteFile.Database): SqliteDatabase {
  return {
    close: () => file.close(),
    prepare(text) {
      const statement = file.prepare<unknown[], Record<string, unknown>>(text)
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(parameters.map(toSqlite)).map(checkRow),
        run: (parameters) => statement.run(parameters.map(toSqlite)),
        *iterate(parameters) {
          for (const row of statement.iterate(parameters.map(toSqlite))) yield checkRow(row)
        },
      }
    },
  }
}

/** better-sqlite3 binds every number as a float, so that `? / 2` and `'n' || ?` would differ. */
function toSqlite(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}

function checkRow(row: Record<string, unknown>): Record<string, unknown> {
  for (const column in row) {
    const value = row[column]
    if (typeof value === 'number') safeInteger(value)
  }
  return row
}
