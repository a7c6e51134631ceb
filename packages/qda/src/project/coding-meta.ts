import type { Writer } from '../changes/writer.js'
import type { ProjectDatabase, Row, SqlValue } from './project-database.js'

/** From 0 to 3. */
export type Importance = 0 | 1 | 2 | 3

export type CodingKind = 'text' | 'image' | 'av'

/** What tells a coding from a later one that SQLite gave the same id, and whether the original marks it. */
export interface CodingIdentity {
  readonly id: number
  readonly cid: number | null
  /** The source. */
  readonly fid: number | null
  /** Where it is; of an image, the corner and the size, as text. */
  readonly pos0: SqlValue
  readonly pos1: SqlValue
  readonly owner: string | null
  readonly important: number | null
}

/** What the original's format has no place for. */
export interface CodingMeta {
  readonly importance: Importance
  /** Of a coding that came from elsewhere. */
  readonly guid: string | null
}

export const codingTables = {
  text: { table: 'code_text', key: 'ctid', source: 'fid', pos0: 'pos0', pos1: 'pos1' },
  image: {
    table: 'code_image',
    key: 'imid',
    source: 'id',
    pos0: "(x1 || ' ' || y1)",
    pos1: "(width || ' ' || height)",
  },
  av: { table: 'code_av', key: 'avid', source: 'id', pos0: 'pos0', pos1: 'pos1' },
} as const

/** Columns of a query that gives a CodingIdentity. */
export function identityColumns(db: ProjectDatabase, kind: CodingKind): string {
  const { table, key, source, pos0, pos1 } = codingTables[kind]
  const important = db.has(table, 'important') ? 'important' : 'NULL AS important'
  // The oldest projects have no key of text codings.
  return `${db.has(table, key) ? key : 'rowid'} AS id, cid, ${source} AS fid, ${pos0} AS pos0, ${pos1} AS pos1, owner, ${important}`
}

export function codingIdentity(db: ProjectDatabase, kind: CodingKind, id: number): CodingIdentity | undefined {
  const { table, key } = codingTables[kind]
  return db.get<CodingIdentity>(`SELECT ${identityColumns(db, kind)} FROM main.${table} WHERE ${key} = ?`, id)
}

/** The original's mark is the word of people: without it the importance is 0, with it at least 1. */
export function codingMeta(db: ProjectDatabase, kind: CodingKind, coding: CodingIdentity): CodingMeta {
  const row = ownRow(db, kind, coding)
  const kept = importanceIn(row?.importance)
  const guid = row?.guid ?? null
  if (!db.has(codingTables[kind].table, 'important')) return { importance: kept ?? 0, guid }
  return { importance: coding.important ? atLeastOne(kept ?? 1) : 0, guid }
}

/** Of a coding that is stored; what is not given stays as it is. Takes the place of what an earlier coding of that id had. */
export function setCodingMeta(
  writer: Writer,
  kind: CodingKind,
  coding: CodingIdentity,
  given: { readonly importance?: Importance; readonly guid?: string | null },
): void {
  const { importance, guid } = { ...codingMeta(writer.db, kind, coding), ...given }
  const { table } = codingTables[kind]
  writer.update(table, coding.id, { important: importance >= 1 ? 1 : null })
  keepRow(writer, kind, coding, { importance, guid })
}

/** Before or after the coding itself goes. */
export function dropCodingMeta(writer: Writer, kind: CodingKind, id: number): void {
  const row = storedRow(writer.db, kind, id)
  if (row !== undefined) writer.delete('coding_meta', row.id)
}

/** After a coding got another code, place or owner: what it had stays its own. */
export function moveCodingMeta(writer: Writer, kind: CodingKind, before: CodingIdentity, after: CodingIdentity): void {
  const row = ownRow(writer.db, kind, before)
  if (row !== undefined) writer.update('coding_meta', row.id, { row_id: after.id, fp: codingFingerprint(after) })
}

/** As it is stored. */
export const codingFingerprint = ({ cid, fid, pos0, pos1, owner }: Omit<CodingIdentity, 'id' | 'important'>): string =>
  JSON.stringify([cid, fid, pos0, pos1, owner])

type MetaRow = {
  readonly id: number
  readonly fp: string
  readonly importance: number | null
  readonly guid: string | null
}

function storedRow(db: ProjectDatabase, kind: CodingKind, id: number): MetaRow | undefined {
  return db.get<MetaRow>(
    'SELECT id, fp, importance, CAST(guid AS TEXT) AS guid FROM side.coding_meta WHERE kind = ? AND row_id = ?',
    kind,
    id,
  )
}

function ownRow(db: ProjectDatabase, kind: CodingKind, coding: CodingIdentity): MetaRow | undefined {
  const row = storedRow(db, kind, coding.id)
  return row?.fp === codingFingerprint(coding) ? row : undefined
}

/** Nothing is kept that the project's own file says as well. */
function keepRow(writer: Writer, kind: CodingKind, coding: CodingIdentity, { importance, guid }: CodingMeta): void {
  const row = storedRow(writer.db, kind, coding.id)
  const isNeeded = guid !== null || importance >= 2 || !writer.db.has(codingTables[kind].table, 'important')
  const values: Row = { fp: codingFingerprint(coding), importance, guid }
  if (row === undefined) {
    if (isNeeded) writer.insert('coding_meta', { kind, row_id: coding.id, ...values })
  } else if (isNeeded) writer.update('coding_meta', row.id, values)
  else writer.delete('coding_meta', row.id)
}

function importanceIn(value: number | null | undefined): Importance | undefined {
  return value === 0 || value === 1 || value === 2 || value === 3 ? value : undefined
}

const atLeastOne = (importance: Importance): Importance => (importance === 0 ? 1 : importance)
