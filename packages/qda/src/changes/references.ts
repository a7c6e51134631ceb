import type { Row } from '../project/project-database.js'
import type { RecordedTable } from './recorded-tables.js'

/** The table whose ids a column holds. Undefined: it holds none. */
export function referenceOf(table: RecordedTable, column: string, row: Row): RecordedTable | undefined {
  if (table === 'attribute' && column === 'id') return ofKind[`attribute.${String(row['attr_type'])}`]
  if (table === 'coding_meta' && column === 'row_id') return ofKind[`coding_meta.${String(row['kind'])}`]
  return Object.hasOwn(ofColumn, `${table}.${column}`) ? ofColumn[`${table}.${column}`] : undefined
}

/** Does the row mean nothing without what the column names? Nodes and lines of graphs are drawn all the same. */
export const isPartOf = (table: RecordedTable): boolean => !table.startsWith('gr_')

const ofKind: Readonly<Record<string, RecordedTable>> = {
  'attribute.file': 'source',
  'attribute.case': 'cases',
  'attribute.journal': 'journal',
  'coding_meta.text': 'code_text',
  'coding_meta.image': 'code_image',
  'coding_meta.av': 'code_av',
}

const ofColumn: Readonly<Record<string, RecordedTable>> = {
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
  'gr_cdct_text_item.grid': 'graph',
  'gr_cdct_text_item.cid': 'code_name',
  'gr_cdct_text_item.catid': 'code_cat',
  'gr_cdct_text_item.supercatid': 'code_cat',
  'gr_file_text_item.grid': 'graph',
  'gr_file_text_item.fid': 'source',
  'gr_case_text_item.grid': 'graph',
  'gr_case_text_item.caseid': 'cases',
  'gr_cdct_line_item.grid': 'graph',
  'gr_cdct_line_item.fromcatid': 'code_cat',
  'gr_cdct_line_item.fromcid': 'code_name',
  'gr_cdct_line_item.tocatid': 'code_cat',
  'gr_cdct_line_item.tocid': 'code_name',
  'gr_free_line_item.grid': 'graph',
  'gr_free_line_item.fromcatid': 'code_cat',
  'gr_free_line_item.fromcid': 'code_name',
  'gr_free_line_item.fromcaseid': 'cases',
  'gr_free_line_item.fromfileid': 'source',
  'gr_free_line_item.fromimid': 'code_image',
  'gr_free_line_item.fromavid': 'code_av',
  'gr_free_line_item.tocatid': 'code_cat',
  'gr_free_line_item.tocid': 'code_name',
  'gr_free_line_item.tocaseid': 'cases',
  'gr_free_line_item.tofileid': 'source',
  'gr_free_line_item.toimid': 'code_image',
  'gr_free_line_item.toavid': 'code_av',
  'gr_pix_item.grid': 'graph',
  'gr_pix_item.imid': 'code_image',
  'gr_av_item.grid': 'graph',
  'gr_av_item.avid': 'code_av',
}
