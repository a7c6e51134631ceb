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
  readonly x1?: SqlValue
  readonly y1?: SqlValue
  readonly width?: SqlValue
  readonly height?: SqlValue
  readonly page?: SqlValue
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

/**
 * Codings by their sources. No table has an index of these, so each is gone through once; the rows themselves, with their texts, are
 * read when their source's turn has come.
 */
export class CodingRows {
  readonly #context: ExportContext
  readonly #ids: BySource<Id>
  readonly #sql: string

  static async of(context: ExportContext, kind: CodingKind): Promise<CodingRows> {
    const { db } = context.project
    const { table, key, source } = codingTables[kind]
    const column = db.has(table, key) ? key : 'rowid'
    const sql = `SELECT ${column} AS id, ${source} AS fid FROM main.${table} AS t
      WHERE ${context.includeHidden ? '1' : visible(db, 't')} AND typeof(${source}) = 'integer'
      AND ${column} > ? ORDER BY ${column} LIMIT ?`
    return new CodingRows(context, kind, await gathered<Id>(context, sql))
  }

  private constructor(context: ExportContext, kind: CodingKind, ids: BySource<Id>) {
    const { db } = context.project
    const { table, key } = codingTables[kind]
    const column = db.has(table, key) ? key : 'rowid'
    const page = db.has(table, 'pdf_page') ? 'pdf_page' : 'NULL'
    const own = {
      text: 'CAST(seltext AS TEXT) AS seltext',
      image: `NULL AS seltext, x1, y1, width, height, ${page} AS page`,
      av: 'NULL AS seltext',
    }[kind]
    this.#context = context
    this.#ids = ids
    this.#sql = `SELECT ${identityColumns(db, kind)}, CAST(memo AS TEXT) AS memo, date, ${own} FROM main.${table}
      WHERE ${column} IN (SELECT value FROM json_each(?)) ORDER BY ${column}`
  }

  /** Those of a source, which are not given again. */
  take(sourceId: number): readonly ExportedCoding[] {
    const ids = this.#ids.get(sourceId)
    if (ids === undefined) return []
    this.#ids.delete(sourceId)
    return this.#context.project.db.all<ExportedCoding>(this.#sql, JSON.stringify(ids.map(({ id }) => id)))
  }

  /** Sources whose codings nobody took, and how many these are. */
  get left(): readonly (readonly [sourceId: number, count: number])[] {
    return [...this.#ids].map(([id, { length }]) => [id, length] as const)
  }
}

interface Id {
  readonly id: number
  readonly fid: number
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
