import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { visible } from './coders.js'
import { type CodingIdentity, dropCodingMeta, type Importance, identityColumns, setCodingMeta } from './coding-meta.js'
import type { ProjectDatabase, SqlValue } from './project-database.js'

/** A coding of text as it is stored: positions in either unit, or in none. */
export interface Coding extends CodingIdentity {
  readonly seltext: SqlValue
  readonly memo: string | null
  readonly date: string | null
}

/** Those of a source, as a condition. No index begins with the source: but one has it, and is smaller to go through than the table. */
export const inSource = (db: ProjectDatabase): string => {
  const key = db.has('code_text', 'ctid') ? 'ctid' : 'rowid'
  return `t.${key} IN (SELECT ${key} FROM main.code_text WHERE fid = ?)`
}

/** A query for codings of text, as `t`, up to its conditions. */
export function selectCodings(db: ProjectDatabase): string {
  return `SELECT ${identityColumns(db, 'text')}, seltext, memo, date FROM main.code_text AS t`
}

/** Of coders that are not hidden. `condition` is of columns of `t`. */
export function visibleCodings(
  db: ProjectDatabase,
  condition: string,
  ...values: readonly SqlValue[]
): readonly Coding[] {
  return db.all<Coding>(`${selectCodings(db)} WHERE ${visible(db, 't')} AND ${condition}`, ...values)
}

/** Throws SEGMENT_NOT_FOUND, for those of hidden coders too. */
export function requireCoding(db: ProjectDatabase, id: number): Coding {
  const [coding] = visibleCodings(db, `${db.has('code_text', 'ctid') ? 'ctid' : 'rowid'} = ?`, id)
  if (coding !== undefined) return coding
  throw noSegment(id)
}

export const noSegment = (id: number): QdaFailure =>
  new QdaFailure('SEGMENT_NOT_FOUND', `Segment ${id} not found`, {
    details: { segment_id: id },
    suggestions: ['list_segments_for_source shows the segments of a source.'],
  })

export interface NewCoding {
  readonly cid: number
  readonly fid: number
  /** Code points, half-open. */
  readonly start: number
  readonly end: number
  /** What stands there. */
  readonly text: string
  readonly memo?: string | undefined
  readonly importance?: Importance | undefined
}

/** The id of the new row, which is the writer's own. Throws what SQLite throws where there is such a one already. */
export function insertCoding(writer: Writer, coding: NewCoding): number {
  const { cid, fid, start: pos0, end: pos1, text: seltext, memo = '', importance = 0 } = coding
  const owner = writer.coder()
  const important = importance >= 1 ? 1 : null
  const values = { cid, fid, seltext, pos0, pos1, owner, date: writer.act.date, memo, important }
  const id = writer.insert('code_text', values) as number
  // An earlier coding may have had the same id, and left something behind.
  dropCodingMeta(writer, 'text', id)
  if (importance >= 2 || !writer.db.has('code_text', 'important'))
    setCodingMeta(writer, 'text', { id, cid, fid, pos0, pos1, owner, important }, { importance })
  return id
}

export function deleteCoding(writer: Writer, id: number): void {
  dropCodingMeta(writer, 'text', id)
  writer.delete('code_text', id)
}
