import type { Writer } from '../changes/writer.js'
import type { ProjectDatabase } from './project-database.js'
import { codingTables, innerPath, type SourceRow } from './sources.js'

/** What goes with sources, of all coders: hidden ones, too. */
export interface SourceUse {
  readonly codings: number
  /** By the coder's name. */
  readonly byOwner: { readonly [owner: string]: number }
  readonly caseLinks: number
  readonly annotations: number
}

export function useOf(db: ProjectDatabase, sources: readonly SourceRow[]): SourceUse {
  const byOwner = new Map<string, number>()
  const total = { codings: 0, caseLinks: 0, annotations: 0 }
  for (const { id } of sources) {
    for (const { table, source } of codingTables) {
      const rows = db.all<{ readonly owner: string; readonly n: number }>(
        `SELECT coalesce(owner, '') AS owner, count(*) AS n FROM main.${table} WHERE ${source} = ? GROUP BY 1 ORDER BY 1`,
        id,
      )
      for (const { owner, n } of rows) {
        byOwner.set(owner, (byOwner.get(owner) ?? 0) + n)
        total.codings += n
      }
    }
    total.caseLinks += db.value('SELECT count(*) FROM main.case_text WHERE fid = ?', id) ?? 0
    total.annotations += db.value('SELECT count(*) FROM main.annotation WHERE fid = ?', id) ?? 0
  }
  return { ...total, byOwner: Object.fromEntries(byOwner) }
}

/** The source and every row that is about it. What undo puts back first goes last. */
export function removeSource(writer: Writer, source: SourceRow): void {
  const { id } = source
  removeGraphRows(writer, id)
  unlink(writer, id)
  for (const { table, key, source: column } of codingTables) {
    const kind = table.replace('code_', '')
    writer.deleteWhere(
      'coding_meta',
      `kind = ? AND row_id IN (SELECT ${key} FROM main.${table} WHERE ${column} = ?)`,
      ...[kind, id],
    )
    writer.deleteWhere(table, `${column} = ?`, id)
  }
  writer.deleteWhere('annotation', 'fid = ?', id)
  writer.deleteWhere('case_text', 'fid = ?', id)
  writer.deleteWhere('attribute', "attr_type = 'file' AND id = ?", id)
  writer.delete('source_meta', id)
  trashFile(writer, source)
  writer.delete('source', id)
}

/** Nodes that show the source, its codings or their memos, and lines that end at any of them. */
function removeGraphRows(writer: Writer, id: number): void {
  const { db } = writer
  const shown = shownRows(db)
  if (db.has('gr_free_line_item', 'fromfreetextid'))
    for (const end of ['fromfreetextid', 'tofreetextid'])
      writer.deleteWhere(
        'gr_free_line_item',
        `(grid, ${end}) IN (SELECT grid, freetextid FROM main.gr_free_text_item WHERE ${shown.gr_free_text_item})`,
        id,
      )
  for (const table of graphTables) writer.deleteWhere(table, shown[table], id)
}

const graphTables = [
  'gr_free_line_item',
  'gr_free_text_item',
  'gr_file_text_item',
  'gr_pix_item',
  'gr_av_item',
  'gr_memo_item',
] as const

/** Of each table of graphs, the condition on rows that are about the source `?1`, by the columns that the file has. */
function shownRows(db: ProjectDatabase): Readonly<Record<(typeof graphTables)[number], string>> {
  const [texts, images, clips] = codingTables.map(
    ({ table, key, source }) => `IN (SELECT ${key} FROM main.${table} WHERE ${source} = ?1)`,
  )
  const any = (table: string, tests: readonly (readonly [column: string, test: string | undefined])[]) => {
    const known = tests.filter(([column]) => db.has(table, column)).map(([column, test]) => `${column} ${test}`)
    return known.join(' OR ') || '?1 IS NULL'
  }
  return {
    gr_free_line_item: any('gr_free_line_item', [
      ...(['fromfileid', 'tofileid'] as const).map((column) => [column, '= ?1'] as const),
      ...(['fromimid', 'toimid'] as const).map((column) => [column, images] as const),
      ...(['fromavid', 'toavid'] as const).map((column) => [column, clips] as const),
    ]),
    gr_free_text_item: any('gr_free_text_item', [
      ['ctid', texts],
      ['memo_ctid', texts],
      ['memo_imid', images],
      ['memo_avid', clips],
    ]),
    gr_file_text_item: any('gr_file_text_item', [['fid', '= ?1']]),
    gr_pix_item: any('gr_pix_item', [['imid', images]]),
    gr_av_item: any('gr_av_item', [['avid', clips]]),
    gr_memo_item: any('gr_memo_item', [['memo_source_id', "= ?1 AND memo_source_type = 'file'"]]),
  }
}

/** Rows that stay, and name it. */
function unlink(writer: Writer, id: number): void {
  const { db } = writer
  const keys = (sql: string) => db.all<{ readonly k: number }>(sql, id).map(({ k }) => k)
  if (db.has('source', 'av_text_id'))
    for (const media of keys('SELECT id AS k FROM main.source WHERE av_text_id = ?'))
      writer.update('source', media, { av_text_id: null })
  if (db.has('code_text', 'avid'))
    for (const coding of keys(
      'SELECT ctid AS k FROM main.code_text WHERE avid IN (SELECT avid FROM main.code_av WHERE id = ?)',
    ))
      writer.update('code_text', coding, { avid: null })
}

/** A file that another source has, too, stays. */
function trashFile(writer: Writer, { id, mediapath }: SourceRow): void {
  const file = innerPath(mediapath)
  if (file === undefined) return
  const isShared = writer.db.value('SELECT 1 FROM main.source WHERE mediapath = ? AND id <> ?', mediapath, id)
  if (isShared !== undefined) return
  writer.moveFile({ from: file, to: `callboard_trash/${writer.act.changeSetId}/${file}` })
}
