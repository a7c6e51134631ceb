import type Database from 'better-sqlite3'
import type { Statement } from 'better-sqlite3'

export type SqlValue = string | number | bigint | Uint8Array | null

/** Of a table, by column. */
export type Row = { readonly [column: string]: SqlValue }

/** Of each table that the file has, its columns. */
export type Columns = ReadonlyMap<string, ReadonlySet<string>>

/**
 * One connection to both files of a project: the project's own tables in `main`, ours in `side`. Everything is synchronous, so
 * that what runs between two awaits sees one state.
 */
export class ProjectDatabase {
  readonly connection: Database.Database
  readonly #statements = new Map<string, Statement>()
  #columns: Columns

  /** `columns`: of the project's own tables, as the file has them: older projects lack some. */
  constructor(connection: Database.Database, columns: Columns) {
    this.connection = connection
    this.#columns = columns
  }

  /** Another program has changed the tables, or another file is in their place. */
  setColumns(columns: Columns): void {
    this.#columns = columns
    this.forgetStatements()
  }

  /** Does the file have the table, and in it the column? */
  has(table: string, column?: string): boolean {
    const columns = this.#columns.get(table)
    return columns !== undefined && (column === undefined || columns.has(column))
  }

  all<Found extends object = Row>(sql: string, ...values: readonly SqlValue[]): readonly Found[] {
    return this.statement(sql).all(...values) as Found[]
  }

  get<Found extends object = Row>(sql: string, ...values: readonly SqlValue[]): Found | undefined {
    return this.statement(sql).get(...values) as Found | undefined
  }

  /** A row with all digits of its numbers: what is longer than a number can hold is a bigint. */
  exactRow(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    // The space makes it a statement of its own, which nobody else reads numbers with.
    const row = this.statement(`${sql} `)
      .safeIntegers()
      .get(...values) as Row | undefined
    return row && Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shortened(value)]))
  }

  /** The first column of the first row. */
  value<Value extends SqlValue = number>(sql: string, ...values: readonly SqlValue[]): Value | undefined {
    const row = this.statement(sql).get(...values) as Row | undefined
    return row === undefined ? undefined : (Object.values(row)[0] as Value)
  }

  iterate<Found extends object = Row>(sql: string, ...values: readonly SqlValue[]): IterableIterator<Found> {
    return this.statement(sql).iterate(...values) as IterableIterator<Found>
  }

  run(sql: string, ...values: readonly SqlValue[]): { readonly changes: number; readonly key: number } {
    const { changes, lastInsertRowid } = this.statement(sql).run(...values)
    return { changes, key: Number(lastInsertRowid) }
  }

  /** Prepared once. */
  statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.connection.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** What they were prepared for is not as it was. */
  forgetStatements(): void {
    this.#statements.clear()
  }

  close(): void {
    this.#statements.clear()
    this.connection.close()
  }
}

const shortened = (value: SqlValue): SqlValue =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
