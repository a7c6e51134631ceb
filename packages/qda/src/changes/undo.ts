import { QdaFailure } from '../failure.js'
import type { Row } from '../project/project-database.js'
import { findChangeSet } from './change-sets.js'
import { keyColumnOf, type RecordedTable } from './recorded-tables.js'
import { referenceOf } from './references.js'
import { isSameValue, rowOf } from './row-image.js'
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
  readonly tbl: RecordedTable | 'file'
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
    const reason =
      table === 'file'
        ? this.#moveBack(rowOf(before!), rowOf(after!))
        : before === null
          ? this.#remove(table, key, rowOf(after!))
          : after === null
            ? this.#putBack(table, key, rowOf(before))
            : this.#changeBack(table, key, rowOf(before), rowOf(after))
    if (reason === undefined) this.undone += 1
    else this.skipped.push({ table, row_id: key, reason })
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

  #moveBack(before: Row, after: Row): undefined {
    this.#writer.moveFile({ from: String(after['path']), to: String(before['path']) })
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

const agrees = (now: Row, image: Row): boolean =>
  Object.entries(image).every(([column, value]) => isSameValue(now[column], value))

const isConstraint = (error: unknown): boolean =>
  String((error as { readonly code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')
