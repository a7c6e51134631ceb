import type { ProjectDatabase, Row, SqlValue } from '../project/project-database.js'
import { keyColumnOf, qualified, quoted, type RecordedTable, schemaOf } from './recorded-tables.js'
import { imageOf, isSameValue } from './row-image.js'

/** Under whose name and when something is written. */
export interface Act {
  readonly changeSetId: string
  readonly tool: string
  /** Whose change it is: the root principal of the call. */
  readonly actor: string
  /** The name of that actor among the project's coders. */
  readonly coder: string
  /** UTC ms. */
  readonly now: number
  /** The same as the project writes dates. */
  readonly date: string
}

/** Of a table with a key of its own; tables of one row have the key 1. */
export type RowKey = number | string

export interface Change {
  readonly table: RecordedTable | 'file'
  readonly key: RowKey
  /** Images of the whole row, or of the columns that differ. Absent: there was none. */
  readonly before?: Row
  readonly after?: Row
}

/** A file of the project folder, moved once the transaction has got through. Paths are relative to the folder. */
export interface FileMove {
  readonly from: string
  readonly to: string
}

/**
 * All that changes rows of a project, inside one transaction, so that each change set has what it takes to undo it. Columns that an
 * older project does not have are left out.
 */
export class Writer {
  readonly act: Act
  readonly db: ProjectDatabase
  readonly fileMoves: FileMove[] = []
  /** What the change set is to people, in a few words. */
  summary: string | undefined
  /** The change set that this one takes back. */
  undoes: string | undefined
  /** All of it is taken back at once. */
  isTrial = false
  readonly #touched = new Set<RecordedTable>()
  #changes = 0
  #isCoderKnown = false
  readonly #isRecorded: boolean

  /** Nobody takes back what made a project that was not there before: then nothing need be recorded. */
  constructor(db: ProjectDatabase, act: Act, recording: 'recorded' | 'unrecorded' = 'recorded') {
    this.db = db
    this.act = act
    this.#isRecorded = recording === 'recorded'
  }

  /** Rows and files so far. */
  get changes(): number {
    return this.#changes
  }

  /** What undo_change_set takes: null while there is nothing to undo. */
  get changeSetId(): string | null {
    return this.isTrial || this.#changes === 0 ? null : this.act.changeSetId
  }

  hasTouched(table: RecordedTable): boolean {
    return this.#touched.has(table)
  }

  /** The actor's name, which is among the project's coders from now on. */
  coder(): string {
    const { coder } = this.act
    if (this.#isCoderKnown) return coder
    this.#isCoderKnown = true
    const known = this.db.has('coder_names') ? this.db.value('SELECT 1 FROM main.coder_names WHERE name = ?', coder) : 1
    if (known === undefined) this.insert('coder_names', { name: coder, visibility: 1 })
    return coder
  }

  /** The key of the new row. Throws what SQLite throws where a rule of the table is broken. */
  insert(table: RecordedTable, row: Row): RowKey {
    const columns = this.#existing(table, Object.keys(row))
    const sql = `INSERT INTO ${qualified(table)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    const { key: rowid } = this.db.run(sql, ...columns.map((column) => row[column]!))
    const column = keyColumnOf(table)
    const key = column === undefined ? 1 : ((row[column] as RowKey | undefined) ?? rowid)
    const after = Object.fromEntries(columns.map((name) => [name, row[name]!]))
    this.#record({ table, key, after: column === undefined ? after : { ...after, [column]: key } })
    return key
  }

  /** Whether anything differs now from what it was. A row that is not there is not made. */
  update(table: RecordedTable, key: RowKey, values: Row): boolean {
    const row = this.row(table, key)
    if (row === undefined) return false
    const changed = this.#existing(table, Object.keys(values)).filter((name) => !isSameValue(row[name], values[name]))
    if (changed.length === 0) return false
    const set = changed.map((name) => `${quoted(name)} = ?`).join(', ')
    this.db.run(
      `UPDATE ${qualified(table)} SET ${set} ${where(table)}`,
      ...changed.map((name) => values[name]!),
      ...keyed(table, key),
    )
    const only = (from: Row) => Object.fromEntries(changed.map((name) => [name, from[name] ?? null]))
    this.#record({ table, key, before: only(row), after: only(values) })
    return true
  }

  /** Whether there was such a row. */
  delete(table: RecordedTable, key: RowKey): boolean {
    const row = this.row(table, key)
    if (row === undefined) return false
    this.db.run(`DELETE FROM ${qualified(table)} ${where(table)}`, ...keyed(table, key))
    this.#record({ table, key, before: row })
    return true
  }

  /** Every row that the condition holds for; tells how many. */
  deleteWhere(table: RecordedTable, condition: string, ...values: readonly SqlValue[]): number {
    if (!this.#isThere(table)) return 0
    const key = keyColumnOf(table) ?? 'rowid'
    const rows = this.db.all(`SELECT ${quoted(key)} AS k FROM ${qualified(table)} WHERE ${condition}`, ...values)
    for (const { k } of rows) this.delete(table, k as RowKey)
    return rows.length
  }

  row(table: RecordedTable, key: RowKey): Row | undefined {
    if (!this.#isThere(table)) return undefined
    return this.db.exactRow(`SELECT * FROM ${qualified(table)} ${where(table)}`, ...keyed(table, key))
  }

  /** Happens once the transaction has got through; recorded now, so that undo moves it back. */
  moveFile(move: FileMove): void {
    this.fileMoves.push(move)
    this.#record({ table: 'file', key: move.to, before: { path: move.from }, after: { path: move.to } })
  }

  #existing(table: RecordedTable, columns: readonly string[]): readonly string[] {
    return schemaOf(table) === 'side' ? columns : columns.filter((column) => this.db.has(table, column))
  }

  #isThere(table: RecordedTable): boolean {
    return schemaOf(table) === 'side' || this.db.has(table)
  }

  #record({ table, key, before, after }: Change): void {
    this.#changes += 1
    if (table !== 'file') this.#touched.add(table)
    if (!this.#isRecorded) return
    this.db.run(
      'INSERT INTO side.change (set_id, n, tbl, row_key, before, after) VALUES (?, ?, ?, ?, ?, ?)',
      this.act.changeSetId,
      this.#changes,
      table,
      key,
      before === undefined ? null : imageOf(before),
      after === undefined ? null : imageOf(after),
    )
  }
}

const where = (table: RecordedTable): string => {
  const key = keyColumnOf(table)
  // Of several rows that describe the project, the first counts.
  if (key === undefined) return `WHERE rowid = (SELECT min(rowid) FROM ${qualified(table)})`
  return `WHERE ${quoted(key)} = ?`
}

const keyed = (table: RecordedTable, key: RowKey): readonly RowKey[] => (keyColumnOf(table) === undefined ? [] : [key])
