import { QdaFailure } from '../failure.js'
import type { Row } from '../project/project-database.js'
import { findChangeSet } from './change-sets.js'
import { keyColumnOf, type RecordedTable } from './recorded-tables.js'
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
    const isTaken = this.#writer.row(table, key) !== undefined
    if (isTaken && typeof key === 'string') return 'another one has its name now'
    const { [column ?? '']: _, ...rest } = row
    const values = this.#withNewIds(table, isTaken ? rest : row)
    try {
      const newKey = this.#writer.insert(table, values)
      if (newKey !== key) this.id_map.push({ table, old_id: key, new_id: newKey })
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

  /** Rows that refer to one which came back under another id follow it. */
  #withNewIds(table: RecordedTable, row: Row): Row {
    if (this.id_map.length === 0) return row
    const entries = Object.entries(row).map(([column, value]) => {
      const target = referenceOf(table, column, row)
      const moved = this.id_map.find(({ table: other, old_id }) => other === target && old_id === value)
      return [column, moved === undefined ? value : moved.new_id] as const
    })
    return Object.fromEntries(entries)
  }
}

/** Which table's ids a column holds. */
const references: Readonly<Record<string, RecordedTable>> = {
  'code_text.cid': 'code_name',
  'code_text.fid': 'source',
  'code_text.avid': 'code_av',
  'code_image.cid': 'code_name',
  'code_image.id': 'source',
  'code_av.cid': 'code_name',
  'code_av.id': 'source',
  'code_name.catid': 'code_cat',
  'code_name.supercid': 'code_name',
  'code_cat.supercatid': 'code_cat',
  'annotation.fid': 'source',
  'case_text.fid': 'source',
  'case_text.caseid': 'cases',
  'source.av_text_id': 'source',
  'source_meta.source_id': 'source',
  'source_meta.folder_id': 'folder',
  'folder.parent_id': 'folder',
  'gr_cdct_text_item.cid': 'code_name',
  'gr_cdct_text_item.catid': 'code_cat',
  'gr_file_text_item.fid': 'source',
  'gr_case_text_item.caseid': 'cases',
}

const kinds: Readonly<Record<string, RecordedTable>> = {
  'attribute.file': 'source',
  'attribute.case': 'cases',
  'coding_meta.text': 'code_text',
  'coding_meta.image': 'code_image',
  'coding_meta.av': 'code_av',
}

function referenceOf(table: RecordedTable, column: string, row: Row): RecordedTable | undefined {
  if (table === 'attribute' && column === 'id') return kinds[`attribute.${String(row['attr_type'])}`]
  if (table === 'coding_meta' && column === 'row_id') return kinds[`coding_meta.${String(row['kind'])}`]
  return references[`${table}.${column}`]
}

const agrees = (now: Row, image: Row): boolean =>
  Object.entries(image).every(([column, value]) => isSameValue(now[column], value))

const isConstraint = (error: unknown): boolean =>
  String((error as { readonly code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')
