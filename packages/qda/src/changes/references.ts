import type { Row } from '../project/project-database.js'
import type { RecordedTable } from './recorded-tables.js'

/** Of which table a column of that row holds an id; undefined: of none. */
export function referenceOf(table: RecordedTable, column: string, row: Row): RecordedTable | undefined {
  const kind = Object.hasOwn(kindColumns, table) ? kindColumns[table as keyof typeof kindColumns] : undefined
  if (kind?.of === column) return kinds[`${table}.${String(row[kind.by])}`]
  if (column === 'grid' && table !== 'graph') return 'graph'
  return references[`${table}.${column}`]
}

/** Does the row mean nothing without what the column names? */
export const belongsBy = (table: RecordedTable, column: string): boolean => owners.has(`${table}.${column}`)

const owners: ReadonlySet<string> = new Set([
  'code_text.cid',
  'code_text.fid',
  'code_image.cid',
  'code_image.id',
  'code_av.cid',
  'code_av.id',
  'annotation.fid',
  'case_text.fid',
  'case_text.caseid',
  'attribute.id',
  'source_meta.source_id',
  'coding_meta.row_id',
])

interface Dependent {
  readonly table: RecordedTable
  readonly column: string
}

/** Columns of what would be left behind if a row of that table went: what belongs to it, and what is below it. */
export const dependentsOf = (table: RecordedTable): readonly Dependent[] => dependents.get(table) ?? []

const below = ['code_name.supercid', 'code_name.catid', 'code_cat.supercatid', 'source.av_text_id', 'folder.parent_id']
// Attributes are made anew with each source, and rows of ours know by their fingerprint whose they are.
const inFolder = 'source_meta.folder_id'
const blocking = ['code_text', 'code_image', 'code_av', 'annotation', 'case_text']

/** Columns whose table another column of the row names. */
const kindColumns = {
  attribute: { of: 'id', by: 'attr_type' },
  coding_meta: { of: 'row_id', by: 'kind' },
  gr_memo_item: { of: 'memo_source_id', by: 'memo_source_type' },
} as const satisfies { readonly [Table in RecordedTable]?: { readonly of: string; readonly by: string } }

const kinds: Readonly<Record<string, RecordedTable>> = {
  'attribute.file': 'source',
  'attribute.case': 'cases',
  'attribute.journal': 'journal',
  'coding_meta.text': 'code_text',
  'coding_meta.image': 'code_image',
  'coding_meta.av': 'code_av',
  'gr_memo_item.file': 'source',
  'gr_memo_item.code': 'code_name',
}

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
  'gr_cdct_line_item.fromcid': 'code_name',
  'gr_cdct_line_item.tocid': 'code_name',
  'gr_cdct_line_item.fromcatid': 'code_cat',
  'gr_cdct_line_item.tocatid': 'code_cat',
  'gr_file_text_item.fid': 'source',
  'gr_case_text_item.caseid': 'cases',
  'gr_free_text_item.ctid': 'code_text',
  'gr_free_text_item.memo_ctid': 'code_text',
  'gr_free_text_item.memo_imid': 'code_image',
  'gr_free_text_item.memo_avid': 'code_av',
  'gr_free_line_item.fromcid': 'code_name',
  'gr_free_line_item.tocid': 'code_name',
  'gr_free_line_item.fromcatid': 'code_cat',
  'gr_free_line_item.tocatid': 'code_cat',
  'gr_free_line_item.fromcaseid': 'cases',
  'gr_free_line_item.tocaseid': 'cases',
  'gr_free_line_item.fromfileid': 'source',
  'gr_free_line_item.tofileid': 'source',
  'gr_free_line_item.fromimid': 'code_image',
  'gr_free_line_item.toimid': 'code_image',
  'gr_free_line_item.fromavid': 'code_av',
  'gr_free_line_item.toavid': 'code_av',
  'gr_pix_item.imid': 'code_image',
  'gr_av_item.avid': 'code_av',
}

const dependents: ReadonlyMap<RecordedTable, readonly Dependent[]> = groupedDependents()

function groupedDependents(): ReadonlyMap<RecordedTable, readonly Dependent[]> {
  const found = new Map<RecordedTable, Dependent[]>()
  for (const [place, target] of Object.entries(references)) {
    const [table = '', column = ''] = place.split('.')
    const isDependent = below.includes(place) || (owners.has(place) && blocking.includes(table)) || place === inFolder
    if (isDependent) found.set(target, [...(found.get(target) ?? []), { table: table as RecordedTable, column }])
  }
  return found
}
