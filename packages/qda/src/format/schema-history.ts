import { columnsOf, type TableName, tableNames } from './tables.js'

/** The newest version of the format that is known here. */
export const schemaVersionNewest = 17
/** The oldest that is written to; older projects are read. */
export const schemaVersionOldestWritable = 5

type Additions = Partial<Record<TableName, 'table' | readonly string[]>>

/** What each version of the format brought; all else has been there from the first one on. */
const additions: { readonly [version: number]: Additions } = {
  2: { code_text: ['avid'], project: ['bookmarkfile', 'bookmarkpos'] },
  3: { code_text: ['important'], code_image: ['important'], code_av: ['important'] },
  4: { code_text: ['ctid'] },
  5: { project: ['codername'], source: ['av_text_id'], stored_sql: 'table' },
  6: {
    graph: 'table',
    gr_cdct_text_item: 'table',
    gr_case_text_item: 'table',
    gr_file_text_item: 'table',
    gr_free_text_item: 'table',
    gr_cdct_line_item: 'table',
    gr_free_line_item: 'table',
    gr_pix_item: 'table',
    gr_av_item: 'table',
  },
  7: { gr_free_text_item: ['memo_ctid', 'memo_imid', 'memo_avid'] },
  8: { ris: 'table' },
  9: { source: ['risid'], project: ['recently_used_codes'] },
  10: { code_image: ['pdf_page'] },
  11: { gr_pix_item: ['pdf_page'] },
  12: { manage_files_display: 'table' },
  13: { files_filter: 'table' },
  14: { coder_names: 'table' },
  15: { project: ['avbookmarkfile', 'avbookmarkmsec', 'avbookmarktextpos'] },
  16: { code_name: ['supercid'] },
  17: {
    gr_cdct_line_item: ['label', 'arrow_mode'],
    gr_free_line_item: ['label', 'arrow_mode'],
    gr_memo_item: 'table',
  },
}

/** The version that brought the table, or the column of it. */
export function addedIn(table: TableName, column?: string): number {
  const versions = Object.entries(additions).map(([version, added]) => [Number(version), added[table]] as const)
  const tableVersion = versions.find(([, added]) => added === 'table')?.[0] ?? 1
  if (column === undefined) return tableVersion
  const found = versions.find(([, added]) => Array.isArray(added) && added.includes(column))
  return found?.[0] ?? tableVersion
}

/** The tables of a version with their columns, in the order of the newest one; a version that is not known yet has what the newest has. */
export function schemaOf(version: number): ReadonlyMap<TableName, readonly string[]> {
  return new Map(
    tableNames
      .filter((table) => addedIn(table) <= version)
      .map((table) => [table, columnsOf(table).filter((column) => addedIn(table, column) <= version)]),
  )
}
