import { QdaFailure } from '../failure.js'
import { visible } from './coders.js'
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

export interface CategoryRow {
  readonly id: number
  readonly name: string
  readonly parent_id: number | null
  readonly memo: string | null
  readonly owner: string | null
}

/** By name, then by id. */
export function allCodes(db: ProjectDatabase): readonly CodeRow[] {
  return db.all<CodeRow>(`${selectCode(db)} ORDER BY name, cid`)
}

export function findCode(db: ProjectDatabase, id: number): CodeRow | undefined {
  return db.get<CodeRow>(`${selectCode(db)} WHERE cid = ?`, id)
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

function selectCode(db: ProjectDatabase): string {
  const parent = db.has('code_name', 'supercid') ? 'supercid' : 'NULL'
  return `SELECT cid AS id, coalesce(name, '') AS name, nullif(color, '') AS color, memo,
    CASE WHEN ${parent} IS NULL THEN catid END AS category_id, ${parent} AS parent_code_id, owner, date AS created_at
    FROM main.code_name`
}

export function allCategories(db: ProjectDatabase): readonly CategoryRow[] {
  return db.all<CategoryRow>(`${selectCategory} ORDER BY name, catid`)
}

/** Throws CATEGORY_NOT_FOUND. */
export function requireCategory(db: ProjectDatabase, id: number): CategoryRow {
  const category = db.get<CategoryRow>(`${selectCategory} WHERE catid = ?`, id)
  if (category !== undefined) return category
  throw new QdaFailure('CATEGORY_NOT_FOUND', `Category ${id} not found`, {
    details: { category_id: id },
    suggestions: ['list_categories shows the categories there are.'],
  })
}

const selectCategory = `SELECT catid AS id, coalesce(name, '') AS name, supercatid AS parent_id, memo, owner FROM main.code_cat`

/** Codings of visible coders, of text, images, audio and video, by code. */
export function segmentCounts(db: ProjectDatabase): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const table of ['code_text', 'code_image', 'code_av']) {
    const rows = db.all<{ readonly cid: number; readonly n: number }>(
      `SELECT t.cid AS cid, count(*) AS n FROM main.${table} AS t WHERE ${visible(db, 't')} GROUP BY t.cid`,
    )
    for (const { cid, n } of rows) counts.set(cid, (counts.get(cid) ?? 0) + n)
  }
  return counts
}
