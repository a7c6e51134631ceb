import { trashFolder } from '../changes/trash-move.js'
import type { Writer } from '../changes/writer.js'
import { type CodingKind, codingTables } from './coding-meta.js'
import type { ProjectDatabase } from './project-database.js'
import { innerPath, type SourceRow } from './sources.js'

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
    for (const { table, source } of Object.values(codingTables)) {
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
  for (const [kind, { table, key, source: column }] of Object.entries(codingTables)) {
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

/** Nodes that show the source, its codings or their memos, and lines that end at any of them: lines go first. */
function removeGraphRows(writer: Writer, id: number): void {
  const { db } = writer
  for (const [table, column, test] of shown) {
    if (!db.has(table, column)) continue
    if (table === 'gr_free_text_item' && db.has('gr_free_line_item'))
      for (const end of ['fromfreetextid', 'tofreetextid'])
        writer.deleteWhere(
          'gr_free_line_item',
          `(grid, ${end}) IN (SELECT grid, freetextid FROM main.gr_free_text_item WHERE ${column} ${test})`,
          id,
        )
    writer.deleteWhere(table, `${column} ${test}`, id)
  }
}

const isSource = '= ?'
const isText = codingsOf('text')
const isImage = codingsOf('image')
const isClip = codingsOf('av')

/** What in a graph says which source or coding a row is about. */
const shown = [
  ['gr_free_line_item', 'fromfileid', isSource],
  ['gr_free_line_item', 'tofileid', isSource],
  ['gr_free_line_item', 'fromimid', isImage],
  ['gr_free_line_item', 'toimid', isImage],
  ['gr_free_line_item', 'fromavid', isClip],
  ['gr_free_line_item', 'toavid', isClip],
  ['gr_free_text_item', 'ctid', isText],
  ['gr_free_text_item', 'memo_ctid', isText],
  ['gr_free_text_item', 'memo_imid', isImage],
  ['gr_free_text_item', 'memo_avid', isClip],
  ['gr_file_text_item', 'fid', isSource],
  ['gr_pix_item', 'imid', isImage],
  ['gr_av_item', 'avid', isClip],
  ['gr_memo_item', 'memo_source_id', "= ? AND memo_source_type = 'file'"],
] as const

function codingsOf(kind: CodingKind): string {
  const { table, key, source } = codingTables[kind]
  return `IN (SELECT ${key} FROM main.${table} WHERE ${source} = ?)`
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
  const isShared = writer.db.value(
    'SELECT 1 FROM main.source WHERE CAST(mediapath AS TEXT) = ? AND id <> ?',
    mediapath,
    id,
  )
  if (isShared !== undefined) return
  writer.moveFile({ from: file, to: `${trashFolder}/${writer.act.changeSetId}/${file}` })
}
