import type SqliteFile from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'
import { statementsPreparedMax } from './limits.js'
import { safeInteger } from './safe-integer.js'

/** Numbers go in and come out as in PostgreSQL. */
export function portableValues(file: SqliteFile.Database): SqliteDatabase {
  const prepare = (text: string) => file.prepare<unknown[], Record<string, unknown>>(text)
  const prepared = new PreparedStatements(prepare)
  return {
    close: () => file.close(),
    prepare(text) {
      const statement = prepared.get(text)
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(parameters.map(toSqlite)).map(checkRow),
        run: (parameters) => statement.run(parameters.map(toSqlite)),
        *iterate(parameters) {
          // Its own: while it is read row by row, the shared one would be busy for everybody else.
          for (const row of prepare(text).iterate(parameters.map(toSqlite))) yield checkRow(row)
        },
      }
    },
  }
}

type Statement = SqliteFile.Statement<unknown[], Record<string, unknown>>

/** To prepare a statement takes SQLite longer than to run most. One that a migration has made stale it prepares anew by itself. */
class PreparedStatements {
  readonly #statements = new Map<string, Statement>()
  readonly #prepare: (text: string) => Statement

  constructor(prepare: (text: string) => Statement) {
    this.#prepare = prepare
  }

  get(text: string): Statement {
    const statement = this.#statements.get(text) ?? this.#prepare(text)
    // What was used last stands last.
    this.#statements.delete(text)
    this.#statements.set(text, statement)
    const [oldest] = this.#statements.keys()
    if (this.#statements.size > statementsPreparedMax) this.#statements.delete(oldest!)
    return statement
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
