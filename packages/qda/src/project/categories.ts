import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { codeNameKey } from '../text/name-key.js'
import { wholeColumn } from './column-values.js'
import type { ProjectDatabase } from './project-database.js'

export interface CategoryRow {
  readonly id: number
  readonly name: string
  readonly parent_id: number | null
  readonly memo: string | null
  readonly owner: string | null
}

/** By name, then by id. */
export function allCategories(db: ProjectDatabase): readonly CategoryRow[] {
  return db.all<CategoryRow>(`${selectCategory} ORDER BY name, id`)
}

/** However its words are spaced and capitalised, but for one. */
export function findCategoryNamed(db: ProjectDatabase, name: string, exceptId?: number): CategoryRow | undefined {
  const key = codeNameKey(name)
  return allCategories(db).find(({ id, name }) => id !== exceptId && codeNameKey(name) === key)
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

/** All of it checked. */
export function addCategory(
  writer: Writer,
  { name, memo = '', parentId }: { readonly name: string; readonly memo?: string; readonly parentId: number | null },
): number {
  const owner = writer.coder()
  return writer.insert('code_cat', { name, owner, date: writer.act.date, memo, supercatid: parentId }) as number
}

const selectCategory = `SELECT catid AS id, coalesce(CAST(name AS TEXT), '') AS name,
  ${wholeColumn('supercatid')} AS parent_id,
  CAST(memo AS TEXT) AS memo, CAST(owner AS TEXT) AS owner FROM main.code_cat`
