import { exportRowsPerPage } from '../limits.js'
import { visible } from '../project/coders.js'
import { type CodingIdentity, type CodingKind, codingTables, identityColumns } from '../project/coding-meta.js'
import type { SqlValue } from '../project/project-database.js'
import type { ExportContext } from './export-context.js'

export interface ExportedCoding extends CodingIdentity {
  readonly memo: string | null
  readonly date: string | null
  readonly seltext: string | null
  /** Of an image coding. */
  readonly x1: SqlValue
  readonly y1: SqlValue
  readonly width: SqlValue
  readonly height: SqlValue
  readonly page: SqlValue
}

export interface ExportedAnnotation {
  readonly id: number
  readonly fid: number
  readonly pos0: SqlValue
  readonly pos1: SqlValue
  readonly memo: string | null
  readonly owner: string | null
  readonly date: string | null
}

export interface ExportedCasePart extends ExportedAnnotation {
  readonly caseid: number
}

/** Rows by the source that they are about. */
export type BySource<Row> = Map<number, Row[]>

/** No table has an index of sources, so each is gone through once, in pages between which others have their turn. */
export async function codingsBySource(context: ExportContext, kind: CodingKind): Promise<BySource<ExportedCoding>> {
  const { db } = context.project
  const { table, key, source } = codingTables[kind]
  const column = db.has(table, key) ? key : 'rowid'
  const isImage = kind === 'image'
  const place = isImage
    ? `x1, y1, width, height, ${db.has(table, 'pdf_page') ? 'pdf_page' : 'NULL'} AS page`
    : 'NULL AS x1'
  const sql = `SELECT ${identityColumns(db, kind)}, CAST(memo AS TEXT) AS memo, date, ${place},
    ${kind === 'text' ? 'CAST(seltext AS TEXT)' : 'NULL'} AS seltext
    FROM main.${table} AS t WHERE ${context.includeHidden ? '1' : visible(db, 't')} AND typeof(${source}) = 'integer'
    AND ${column} > ? ORDER BY ${column} LIMIT ?`
  return gathered<ExportedCoding>(context, sql)
}

export async function annotationsBySource(context: ExportContext): Promise<BySource<ExportedAnnotation>> {
  const { db } = context.project
  if (!db.has('annotation')) return new Map()
  const sql = `SELECT anid AS id, fid, pos0, pos1, CAST(memo AS TEXT) AS memo, owner, date FROM main.annotation AS t
    WHERE ${context.includeHidden ? '1' : visible(db, 't')} AND typeof(fid) = 'integer' AND anid > ? ORDER BY anid LIMIT ?`
  return gathered<ExportedAnnotation>(context, sql)
}

export async function casePartsBySource(context: ExportContext): Promise<BySource<ExportedCasePart>> {
  const { db } = context.project
  if (!db.has('case_text')) return new Map()
  const key = db.has('case_text', 'id') ? 'id' : 'rowid'
  const sql = `SELECT ${key} AS id, caseid, fid, pos0, pos1, CAST(memo AS TEXT) AS memo, owner, date FROM main.case_text
    WHERE typeof(fid) = 'integer' AND typeof(caseid) = 'integer' AND ${key} > ? ORDER BY ${key} LIMIT ?`
  return gathered<ExportedCasePart>(context, sql)
}

async function gathered<Row extends { readonly id: number; readonly fid: number | null }>(
  { project: { db }, slices }: ExportContext,
  sql: string,
): Promise<BySource<Row>> {
  const bySource: BySource<Row> = new Map()
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = db.all<Row>(sql, after, exportRowsPerPage)
    for (const row of rows) {
      const others = bySource.get(row.fid!)
      if (others === undefined) bySource.set(row.fid!, [row])
      else others.push(row)
    }
    if (rows.length < exportRowsPerPage) return bySource
    after = rows.at(-1)!.id
    await slices.pause()
  }
}
