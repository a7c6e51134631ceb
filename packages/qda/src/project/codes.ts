import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { codeNameKey } from '../text/name-key.js'
import { hiddenCoders, visible } from './coders.js'
import { codingTables } from './coding-meta.js'
import { wholeColumn } from './column-values.js'
import type { ProjectDatabase } from './project-database.js'

export interface CodeRow {
  readonly id: number
  readonly name: string
  readonly color: string | null
  readonly memo: string | null
  readonly category_id: number | null
  /** A code above this one; it excludes a category, and wins where both are set. */
  readonly parent_code_id: number | null
  readonly owner: string | null
  readonly created_at: string | null
}

/** By name, then by id. */
export function allCodes(db: ProjectDatabase): readonly CodeRow[] {
  return db.all<CodeRow>(`${selectCode(db)} ORDER BY name, id`)
}

export function findCode(db: ProjectDatabase, id: number): CodeRow | undefined {
  return db.get<CodeRow>(`${selectCode(db)} WHERE cid = ?`, id)
}

/** The code of that name, however its words are spaced and capitalised, but for one. Of several, the one that is spelled alike. */
export function findCodeNamed(db: ProjectDatabase, name: string, exceptId?: number): CodeRow | undefined {
  const key = codeNameKey(name)
  const alike = allCodes(db).filter((code) => code.id !== exceptId && codeNameKey(code.name) === key)
  return alike.find((code) => code.name === name) ?? alike[0]
}

/** Throws CODE_NOT_FOUND. */
export function requireCode(db: ProjectDatabase, id: number): CodeRow {
  const code = findCode(db, id)
  if (code !== undefined) return code
  throw new QdaFailure('CODE_NOT_FOUND', `Code ${id} not found`, {
    details: { code_id: id },
    suggestions: ['list_codes shows the codes there are.'],
  })
}

/** Of a code that is about to be made, all of it checked. At most one of category and parent. */
export interface NewCode {
  readonly name: string
  readonly color: string
  readonly memo?: string
  readonly categoryId?: number | null
  readonly parentId?: number | null
}

export function addCode(writer: Writer, { name, color, memo = '', categoryId, parentId }: NewCode): number {
  const owner = writer.coder()
  const place = { catid: categoryId ?? null, supercid: parentId ?? null }
  return writer.insert('code_name', { name, color, memo, owner, date: writer.act.date, ...place }) as number
}

// Other programs leave texts where numbers belong, and bytes where texts do: what is no number is nothing.
function selectCode(db: ProjectDatabase): string {
  const parent = db.has('code_name', 'supercid') ? wholeColumn('supercid') : 'NULL'
  return `SELECT cid AS id, coalesce(CAST(name AS TEXT), '') AS name, nullif(CAST(color AS TEXT), '') AS color,
    CAST(memo AS TEXT) AS memo, CASE WHEN ${parent} IS NULL THEN ${wholeColumn('catid')} END AS category_id,
    ${parent} AS parent_code_id, CAST(owner AS TEXT) AS owner, CAST(date AS TEXT) AS created_at
    FROM main.code_name`
}

const tables = Object.values(codingTables)

/** Codings of visible coders, of text, images, audio and video, by code. */
export function segmentCounts(db: ProjectDatabase): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { table } of tables) {
    const rows = db.all<{ readonly cid: number; readonly n: number }>(segmentCountSql(db, table))
    for (const { cid, n } of rows) counts.set(cid, (counts.get(cid) ?? 0) + n)
  }
  return counts
}

/** What it needs of text codings is in the index of their places: the rows themselves, with their texts, are not read. */
export function segmentCountSql(db: ProjectDatabase, table: string): string {
  // Most projects hide nobody, and need not look at the coder of each row.
  const condition = hiddenCoders(db).length === 0 ? '1' : visible(db, 't')
  return `SELECT t.cid AS cid, count(*) AS n FROM main.${table} AS t WHERE ${condition} GROUP BY t.cid`
}

/** How many codings of visible coders each source has of the code; in the order of sources' names. */
export function sourcesOfCode(
  db: ProjectDatabase,
  codeId: number,
): readonly { readonly source_id: number; readonly source_name: string | null; readonly count: number }[] {
  const each = tables.map(
    ({ table, source }) => `SELECT t.${source} AS fid FROM main.${table} AS t WHERE t.cid = ? AND ${visible(db, 't')}`,
  )
  return db.all(
    `SELECT c.fid AS source_id, CAST(s.name AS TEXT) AS source_name, count(*) AS count
     FROM (${each.join(' UNION ALL ')}) AS c LEFT JOIN main.source AS s ON s.id = c.fid
     WHERE s.id IS NOT NULL OR ${wholeColumn('c.fid')} IS NOT NULL GROUP BY c.fid ORDER BY source_name, source_id`,
    ...each.map(() => codeId),
  )
}

/** How many codings of those codes each coder has, hidden ones too: for those who are about to change them. */
export function codingsByOwner(db: ProjectDatabase, codeIds: readonly number[]): { readonly [owner: string]: number } {
  const each = tables.map(
    ({ table }) => `SELECT owner FROM main.${table} WHERE cid IN (SELECT value FROM json_each(?))`,
  )
  const rows = db.all<{ readonly owner: string; readonly n: number }>(
    `SELECT coalesce(CAST(owner AS TEXT), '') AS owner, count(*) AS n FROM (${each.join(' UNION ALL ')}) GROUP BY 1 ORDER BY 1`,
    ...each.map(() => JSON.stringify(codeIds)),
  )
  return Object.fromEntries(rows.map(({ owner, n }) => [owner, n]))
}
