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

interface Id {
  readonly id: number
  readonly fid: number
}

/** Whoever made something that leaves: a document names its users first. */
export async function nameAuthors({ project: { db }, users, includeHidden, slices }: ExportContext): Promise<void> {
  for (const table of ['code_text', 'code_image', 'code_av', 'annotation']) {
    if (!db.has(table, 'owner')) continue
    const condition = includeHidden ? '1' : visible(db, 't')
    for (const { owner } of db.all<{ readonly owner: unknown }>(
      `SELECT DISTINCT owner FROM main.${table} AS t WHERE ${condition} ORDER BY owner`,
    ))
      users.guidOf(owner)
    await slices.pause()
  }
}

export async function codingRows(context: ExportContext, kind: CodingKind): Promise<SourceRows<ExportedCoding>> {
  const { db } = context.project
  const { table, key, source } = codingTables[kind]
  const column = db.has(table, key) ? key : 'rowid'
  const page = db.has(table, 'pdf_page') ? 'pdf_page' : 'NULL'
  const own = {
    text: 'CAST(seltext AS TEXT) AS seltext',
    image: `NULL AS seltext, x1, y1, width, height, ${page} AS page`,
    av: 'NULL AS seltext',
  }[kind]
  return SourceRows.of(context, {
    ...{ table, column, source },
    columns: `${identityColumns(db, kind)}, CAST(memo AS TEXT) AS memo, date, ${own}`,
  })
}

export async function annotationRows(context: ExportContext): Promise<SourceRows<ExportedAnnotation>> {
  const columns = 'anid AS id, fid, pos0, pos1, CAST(memo AS TEXT) AS memo, owner, date'
  return SourceRows.of(context, { table: 'annotation', column: 'anid', source: 'fid', columns })
}

interface RowsQuery {
  readonly table: string
  /** By which a row is found. */
  readonly column: string
  readonly source: string
  readonly columns: string
}

/**
 * What lies on sources. No table has an index of these, so each is gone through once; the rows themselves, with their texts, are read
 * when their source's turn has come.
 */
export class SourceRows<Row extends object> {
  readonly #context: ExportContext
  readonly #ids: BySource<number>
  readonly #sql: string

  static async of<Row extends object>(context: ExportContext, query: RowsQuery): Promise<SourceRows<Row>> {
    const { table, column, source } = query
    const { db } = context.project
    const sql = `SELECT ${column} AS id, ${source} AS fid FROM main.${table} AS t
      WHERE ${context.includeHidden ? '1' : visible(db, 't')} AND typeof(${source}) = 'integer'
      AND ${column} > ? ORDER BY ${column} LIMIT ?`
    const ids = db.has(table) ? await gathered<Id, number>(context, sql, ({ id }) => id) : new Map()
    return new SourceRows(context, query, ids)
  }

  private constructor(context: ExportContext, { table, column, columns }: RowsQuery, ids: BySource<number>) {
    this.#context = context
    this.#ids = ids
    this.#sql = `SELECT ${columns} FROM main.${table} AS t
      WHERE ${column} IN (SELECT value FROM json_each(?)) ORDER BY ${column}`
  }

  of(sourceId: number): readonly Row[] {
    const ids = this.#ids.get(sourceId)
    return ids === undefined ? [] : this.#context.project.db.all<Row>(this.#sql, JSON.stringify(ids))
  }

  /** How many each source has. */
  get counts(): readonly (readonly [sourceId: number, count: number])[] {
    return [...this.#ids].map(([id, { length }]) => [id, length] as const)
  }
}

export async function casePartsBySource(context: ExportContext): Promise<BySource<ExportedCasePart>> {
  const { db } = context.project
  if (!db.has('case_text')) return new Map()
  const key = db.has('case_text', 'id') ? 'id' : 'rowid'
  const sql = `SELECT ${key} AS id, caseid, fid, pos0, pos1, CAST(memo AS TEXT) AS memo, owner, date FROM main.case_text
    WHERE typeof(fid) = 'integer' AND typeof(caseid) = 'integer' AND ${key} > ? ORDER BY ${key} LIMIT ?`
  return gathered<ExportedCasePart, ExportedCasePart>(context, sql, (row) => row)
}

async function gathered<Found extends Id, Kept>(
  { project: { db }, slices }: ExportContext,
  sql: string,
  keep: (row: Found) => Kept,
): Promise<BySource<Kept>> {
  const bySource: BySource<Kept> = new Map()
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = db.all<Found>(sql, after, exportRowsPerPage)
    for (const row of rows) {
      const others = bySource.get(row.fid)
      if (others === undefined) bySource.set(row.fid, [keep(row)])
      else others.push(keep(row))
    }
    if (rows.length < exportRowsPerPage) return bySource
    after = rows.at(-1)!.id
    await slices.pause()
  }
}
