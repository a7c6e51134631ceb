import { sideColumnsOf } from '../format/side-schema.js'
import { columnsOf, isTableName, keyOf as projectKeyOf, type TableName } from '../format/tables.js'

/** Keys of our own tables whose rows belong to what an agent changes, and not to how it got there. */
const sideKeys = { folder: 'id', source_meta: 'source_id', coding_meta: 'id', object_guid: 'id' } as const

/** Whose rows are recorded when they change: those that can be found again. Rows of `ris` and `stored_sql` have no key. */
export type RecordedTable = Exclude<TableName, 'ris' | 'stored_sql'> | keyof typeof sideKeys

/** What a file says that was recorded may be anything. */
export function isRecordedTable(name: string): name is RecordedTable {
  return (isTableName(name) && name !== 'ris' && name !== 'stored_sql') || Object.hasOwn(sideKeys, name)
}

/** Of version 17; a file may have less. */
export function recordedColumns(table: RecordedTable): readonly string[] {
  return isTableName(table) ? columnsOf(table) : sideColumnsOf(table)
}

export function schemaOf(table: RecordedTable): 'main' | 'side' {
  return Object.hasOwn(sideKeys, table) ? 'side' : 'main'
}

/** Undefined: the table has one row. A table's rowids are no keys: the original renumbers them. */
export function keyColumnOf(table: RecordedTable): string | undefined {
  if (Object.hasOwn(sideKeys, table)) return sideKeys[table as keyof typeof sideKeys]
  // Its names are unique, though no key is declared.
  return table === 'coder_names' ? 'name' : (projectKeyOf(table as TableName) ?? undefined)
}

/** `schema."table"` */
export const qualified = (table: RecordedTable): string => `${schemaOf(table)}.${quoted(table)}`

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
