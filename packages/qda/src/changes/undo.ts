import { QdaFailure } from '../failure.js'
import type { Row, SqlValue } from '../project/project-database.js'
import { type ChangeSet, findChangeSet } from './change-sets.js'
import {
  isRecordedTable,
  keyColumnOf,
  qualified,
  quoted,
  type RecordedTable,
  recordedColumns,
  schemaOf,
} from './recorded-tables.js'
import { belongsBy, dependentsOf, referenceOf } from './references.js'
import { isSameValue, rowOf } from './row-image.js'
import { isTrashMove } from './trash-move.js'
import type { RowKey, Writer } from './writer.js'

export interface Undone {
  /** Rows and files that are as they were. */
  readonly undone: number
  /** What was changed again since, or can't be put back, and was left as it is. */
  readonly skipped: readonly { readonly table: string; readonly row_id: RowKey; readonly reason: string }[]
  /** Rows that came back under another id, as theirs is taken. */
  readonly id_map: readonly { readonly table: string; readonly old_id: RowKey; readonly new_id: RowKey }[]
}

interface ChangeRow {
  readonly n: number
  readonly tbl: string
  readonly row_key: RowKey
  readonly before: string | null
  readonly after: string | null
}

/** Takes a change set back, newest change first, as changes of the writer's own. */
export function undoChangeSet(writer: Writer, id: string): Undone {
  const set = requireChangeSet(writer.db, id)
  const changes = writer.db.all<ChangeRow>(
    'SELECT n, tbl, row_key, before, after FROM side.change WHERE set_id = ? ORDER BY n DESC',
    id,
  )
  const undo = new Undo(writer, set)
  for (const change of changes) undo.takeBack(change)
  return undo
}

/** Throws CHANGE_SET_NOT_FOUND. */
export function requireChangeSet(db: Writer['db'], id: string): ChangeSet {
  const set = findChangeSet(db, id)
  if (set !== undefined) return set
  throw new QdaFailure('CHANGE_SET_NOT_FOUND', `There is no change set ${id}; list_changes shows those there are`)
}

class Undo implements Undone {
  undone = 0
  readonly skipped: { readonly table: string; readonly row_id: RowKey; readonly reason: string }[] = []
  readonly id_map: { readonly table: string; readonly old_id: RowKey; readonly new_id: RowKey }[] = []
  readonly #writer: Writer
  readonly #set: ChangeSet
  readonly #newIds = new Map<string, RowKey>()
  readonly #leftAway = new Set<string>()
  #deletedSince: ReadonlySet<string> | undefined

  constructor(writer: Writer, set: ChangeSet) {
    this.#writer = writer
    this.#set = set
  }

  takeBack(change: ChangeRow): void {
    const { tbl: table, row_key: key } = change
    // Others may use the name by now, and nobody minds it.
    if (table === 'coder_names') return
    // Rows without a name of their own would come back twice.
    const { undone_by: by } = this.#set
    const reason = by === null ? this.#tryTaking(change) : `it was taken back already, by ${by}`
    if (reason === undefined) this.undone += 1
    else this.#leave(String(table), keyIn(key), reason)
  }

  #leave(table: string, key: RowKey, reason: string): void {
    this.skipped.push({ table, row_id: key, reason })
    this.#leftAway.add(`${table} ${key}`)
  }

  /** Why not, if it can't be. */
  #tryTaking({ tbl: table, row_key: key, ...images }: ChangeRow): string | undefined {
    const [before, after] = [imageIn(images.before), imageIn(images.after)]
    if (table === 'file') return this.#moveBack(before, after)
    // The history is in the project's folder, where anybody can have written it.
    if (!isRecordedTable(table) || !isSensible(table, key, before, after)) return senseless
    if (before === null) return this.#remove(table, key, after!)
    try {
      return after === null ? this.#putBack(table, key, before) : this.#changeBack(table, key, before, after)
    } catch (error) {
      if (isConstraint(error)) return 'another one stands in its place now'
      throw error
    }
  }

  #remove(table: RecordedTable, key: RowKey, inserted: Row): string | undefined {
    const now = this.#writer.row(table, key)
    if (now === undefined) return 'it is gone already'
    if (!agrees(now, inserted)) return 'it was changed since'
    // It would belong to nothing, or to whatever gets that id.
    if (this.#hasDependents(table, key)) return 'something else belongs to it by now'
    this.#writer.delete(table, key)
    return undefined
  }

  #hasDependents(table: RecordedTable, key: RowKey): boolean {
    const { db } = this.#writer
    return dependentsOf(table)
      .filter(({ table: other, column }) => schemaOf(other) === 'side' || db.has(other, column))
      .some(({ table: other, column }) => {
        const sql = `SELECT 1 FROM ${qualified(other)} WHERE ${quoted(column)} = ? LIMIT 1`
        return db.value(sql, key) !== undefined
      })
  }

  #putBack(table: RecordedTable, key: RowKey, row: Row): string | undefined {
    const column = keyColumnOf(table) ?? ''
    const values = this.#withNewIds(table, row)
    if (this.#lacks(table, values)) return 'what it belongs to is gone'
    const wanted = (values[column] as RowKey | undefined) ?? key
    const isTaken = this.#writer.row(table, wanted) !== undefined
    // Its key says what it belongs to, or how it is called.
    if (isTaken && (typeof wanted === 'string' || referenceOf(table, column, row) !== undefined))
      return 'another one stands in its place now'
    const { [column]: _, ...rest } = values
    const newKey = this.#writer.insert(table, isTaken ? rest : values)
    if (newKey === key) return undefined
    this.id_map.push({ table, old_id: key, new_id: newKey })
    this.#newIds.set(`${table} ${key}`, newKey)
    return undefined
  }

  #changeBack(table: RecordedTable, key: RowKey, before: Row, after: Row): string | undefined {
    const now = this.#writer.row(table, key)
    if (now === undefined) return 'it is gone'
    if (!agrees(now, after)) return 'it was changed since'
    const values = this.#withNewIds(table, before)
    if (this.#lacks(table, values)) return 'what it belonged to is gone'
    this.#writer.update(table, key, values)
    return undefined
  }

  #moveBack(before: Row | null, after: Row | null): string | undefined {
    const [to, from] = [before?.['path'], after?.['path']]
    if (typeof from !== 'string' || typeof to !== 'string' || !isTrashMove(from, to)) return senseless
    this.#writer.moveFile({ from, to })
    return undefined
  }

  /** Rows that refer to one which came back under another id follow it. */
  #withNewIds(table: RecordedTable, row: Row): Row {
    if (this.#newIds.size === 0) return row
    const entries = Object.entries(row).map(([column, value]): readonly [string, SqlValue] => {
      const target = referenceOf(table, column, row)
      return [column, (target === undefined ? undefined : this.#newIds.get(`${target} ${value}`)) ?? value]
    })
    return Object.fromEntries(entries)
  }

  /**
   * A coding of a code that is deleted, and the like: it would belong to nothing, or to whatever gets that id. What belonged
   * to nothing before comes back as it was.
   */
  #lacks(table: RecordedTable, row: Row): boolean {
    return Object.entries(row).some(([column, value]) => {
      const target = belongsBy(table, column) ? referenceOf(table, column, row) : undefined
      return target !== undefined && typeof value === 'number' && this.#isDeleted(target, value)
    })
  }

  /** SQLite gives an id again, so that what has it now may be another one. */
  #isDeleted(table: RecordedTable, key: number): boolean {
    this.#deletedSince ??= deletedSince(this.#writer, this.#set)
    return this.#leftAway.has(`${table} ${key}`) || this.#deletedSince.has(`${table} ${key}`)
  }
}

/** Rows of its time that a later change set deleted, if nobody has undone that. An undo may have deleted what came after it. */
function deletedSince({ db }: Writer, { seq }: ChangeSet): ReadonlySet<string> {
  const rows = db.all<{ readonly tbl: string; readonly row_key: RowKey }>(
    `SELECT c.tbl, c.row_key FROM side.change_set AS s JOIN side.change AS c ON c.set_id = s.id
     LEFT JOIN side.change_set AS u ON u.id = s.undoes
     WHERE s.seq > ? AND s.undone_by IS NULL AND coalesce(u.seq, 0) <= ? AND c.after IS NULL
     AND c.tbl IN ('code_name', 'code_cat', 'source', 'cases', 'journal', 'folder', 'code_text', 'code_image', 'code_av')`,
    seq,
    seq,
  )
  return new Set(rows.map(({ tbl, row_key: key }) => `${tbl} ${key}`))
}

const senseless = 'its record makes no sense'

function isSensible(table: RecordedTable, key: RowKey, before: Row | null, after: Row | null): boolean {
  if (keyIn(key) !== key || (before ?? after) === null) return false
  // Of a table without a key only the project's own row ever changes.
  if (keyColumnOf(table) === undefined) return table === 'project' && before !== null && after !== null
  const columns = recordedColumns(table)
  return [before, after].every((image) => Object.keys(image ?? {}).every((column) => columns.includes(column)))
}

const keyIn = (key: unknown): RowKey =>
  typeof key === 'string' || Number.isSafeInteger(key) ? (key as RowKey) : String(key)

function imageIn(json: string | null): Row | null {
  try {
    return json === null ? null : rowOf(json)
  } catch {
    return null
  }
}

const agrees = (now: Row, image: Row): boolean =>
  Object.entries(image).every(([column, value]) => isSameValue(now[column], value))

const isConstraint = (error: unknown): boolean =>
  String((error as { readonly code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')
