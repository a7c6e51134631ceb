import { QdaFailure } from '../failure.js'
import type { Row } from '../project/project-database.js'
import { findChangeSet } from './change-sets.js'
import { isRecordedTable, keyColumnOf, type RecordedTable, recordedColumns } from './recorded-tables.js'
import { referenceOf } from './references.js'
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
  if (findChangeSet(writer.db, id) === undefined) throw noChangeSet(id)
  const changes = writer.db.all<ChangeRow>(
    'SELECT n, tbl, row_key, before, after FROM side.change WHERE set_id = ? ORDER BY n DESC',
    id,
  )
  const undo = new Undo(writer)
  for (const change of changes) undo.takeBack(change)
  return undo
}

export const noChangeSet = (id: string): QdaFailure =>
  new QdaFailure('CHANGE_SET_NOT_FOUND', `There is no change set ${id}; list_changes shows those there are`)

class Undo implements Undone {
  undone = 0
  readonly skipped: { readonly table: string; readonly row_id: RowKey; readonly reason: string }[] = []
  readonly id_map: { readonly table: string; readonly old_id: RowKey; readonly new_id: RowKey }[] = []
  readonly #newIds = new Map<string, RowKey>()
  readonly #writer: Writer

  constructor(writer: Writer) {
    this.#writer = writer
  }

  takeBack({ tbl: table, row_key: key, before, after }: ChangeRow): void {
    // Others may use the name by now, and nobody minds it.
    if (table === 'coder_names') return
    const reason = this.#takeBack(table, key, imageIn(before), imageIn(after))
    if (reason === undefined) this.undone += 1
    else this.skipped.push({ table: String(table), row_id: keyIn(key), reason })
  }

  #takeBack(table: string, key: RowKey, before: Row | null, after: Row | null): string | undefined {
    if (table === 'file') return this.#moveBack(before, after)
    // The history is in the project's folder, where anybody can have written it.
    if (!isRecordedTable(table) || !isSensible(table, key, before, after)) return 'its record makes no sense'
    if (before === null) return this.#remove(table, key, after!)
    return after === null ? this.#putBack(table, key, before) : this.#changeBack(table, key, before, after)
  }

  #remove(table: RecordedTable, key: RowKey, inserted: Row): string | undefined {
    const now = this.#writer.row(table, key)
    if (now === undefined) return 'it is gone already'
    if (!agrees(now, inserted)) return 'it was changed since'
    this.#writer.delete(table, key)
    return undefined
  }

  #putBack(table: RecordedTable, key: RowKey, row: Row): string | undefined {
    const column = keyColumnOf(table)
    const values = this.#withNewIds(table, row)
    const { [column ?? '']: wanted = key, ...rest } = values
    const isTaken = this.#writer.row(table, wanted as RowKey) !== undefined
    if (isTaken && typeof key === 'string') return 'another one has its name now'
    try {
      const newKey = this.#writer.insert(table, isTaken ? rest : values)
      if (newKey !== key) this.#follow(table, key, newKey)
      return undefined
    } catch (error) {
      if (isConstraint(error)) return 'another one stands in its place now'
      throw error
    }
  }

  #changeBack(table: RecordedTable, key: RowKey, before: Row, after: Row): string | undefined {
    const now = this.#writer.row(table, key)
    if (now === undefined) return 'it is gone'
    if (!agrees(now, after)) return 'it was changed since'
    try {
      this.#writer.update(table, key, this.#withNewIds(table, before))
      return undefined
    } catch (error) {
      if (isConstraint(error)) return 'another one stands in its place now'
      throw error
    }
  }

  #moveBack(before: Row | null, after: Row | null): string | undefined {
    const [to, from] = [before?.['path'], after?.['path']]
    if (typeof from !== 'string' || typeof to !== 'string' || !isTrashMove(from, to)) return 'its record makes no sense'
    this.#writer.moveFile({ from, to })
    return undefined
  }

  #follow(table: RecordedTable, old: RowKey, now: RowKey): void {
    this.id_map.push({ table, old_id: old, new_id: now })
    this.#newIds.set(`${table} ${old}`, now)
  }

  /** Rows that refer to one which came back under another id follow it. */
  #withNewIds(table: RecordedTable, row: Row): Row {
    if (this.id_map.length === 0) return row
    const entries = Object.entries(row).map(([column, value]) => {
      const target = referenceOf(table, column, row)
      const moved = target === undefined ? undefined : this.#newIds.get(`${target} ${value}`)
      return [column, moved ?? value] as const
    })
    return Object.fromEntries(entries)
  }
}

const keyIn = (key: unknown): RowKey =>
  typeof key === 'string' || Number.isSafeInteger(key) ? (key as RowKey) : String(key)

function isSensible(table: RecordedTable, key: RowKey, before: Row | null, after: Row | null): boolean {
  if (keyIn(key) !== key || (before ?? after) === null) return false
  // Of a table without a key only the project's own row ever changes.
  if (keyColumnOf(table) === undefined) return table === 'project' && before !== null && after !== null
  const columns = recordedColumns(table)
  return [before, after].every((image) => Object.keys(image ?? {}).every((column) => columns.includes(column)))
}

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
