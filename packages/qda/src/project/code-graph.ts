import { codeLevelsShownMax } from '../limits.js'
import { allCategories, type CategoryRow } from './categories.js'
import { allCodes, type CodeRow } from './codes.js'
import type { ProjectDatabase } from './project-database.js'

/**
 * What lies below what. It should be a tree, and files of other programs have rings in it and parents that are gone: every way
 * through it ends.
 */
export class CodeGraph {
  readonly codes: readonly CodeRow[]
  readonly categories: readonly CategoryRow[]
  readonly #codes: ReadonlyMap<number, CodeRow>
  readonly #categories: ReadonlyMap<number, CategoryRow>
  #children: ReadonlyMap<number, readonly CodeRow[]> | undefined

  constructor(db: ProjectDatabase) {
    this.codes = allCodes(db)
    this.categories = allCategories(db)
    this.#codes = new Map(this.codes.map((code) => [code.id, code]))
    this.#categories = new Map(this.categories.map((category) => [category.id, category]))
  }

  /** Names from the topmost category down, joined by ` > `. Null: it is in none. */
  categoryPath(categoryId: number | null): string | null {
    const names: string[] = []
    for (const { name } of upwards(categoryId, this.#categories, ({ parent_id }) => parent_id)) {
      if (names.push(name) === codeLevelsShownMax) break
    }
    return names.length === 0 ? null : names.reverse().join(' > ')
  }

  /** Of the category that it is in, or else the topmost of the codes above it. */
  pathOfCode(code: CodeRow): string | null {
    let top = code
    let levels = 0
    for (top of upwards(code.id, this.#codes, parentOf)) if (++levels === codeLevelsShownMax) break
    return this.categoryPath(top.category_id)
  }

  /** Directly below; by name. */
  children(codeId: number): readonly CodeRow[] {
    this.#children ??= groupedByParent(this.codes)
    return this.#children.get(codeId) ?? []
  }

  /** All codes below, without the code itself. */
  branch(codeId: number): readonly CodeRow[] {
    const found = new Map<number, CodeRow>()
    const open = [codeId]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const child of this.children(id)) {
        if (child.id === codeId || found.has(child.id)) continue
        found.set(child.id, child)
        open.push(child.id)
      }
    }
    return [...found.values()]
  }

  /** Is it that code, or below it? */
  isCodeWithin(codeId: number, top: number): boolean {
    for (const { id } of upwards(codeId, this.#codes, parentOf)) if (id === top) return true
    return false
  }

  isCategoryWithin(categoryId: number, top: number): boolean {
    for (const { id } of upwards(categoryId, this.#categories, ({ parent_id }) => parent_id))
      if (id === top) return true
    return false
  }
}

const parentOf = ({ parent_code_id }: CodeRow): number | null => parent_code_id

/** From a row to the topmost one above it, each once. */
function* upwards<Row extends { readonly id: number }>(
  start: number | null,
  rows: ReadonlyMap<number, Row>,
  above: (row: Row) => number | null,
): Generator<Row> {
  const seen = new Set<number>()
  for (let id = start; id !== null && !seen.has(id); ) {
    const row = rows.get(id)
    if (row === undefined) return
    seen.add(id)
    yield row
    id = above(row)
  }
}

function groupedByParent(codes: readonly CodeRow[]): ReadonlyMap<number, readonly CodeRow[]> {
  const children = new Map<number, CodeRow[]>()
  for (const code of codes) {
    if (code.parent_code_id === null) continue
    const siblings = children.get(code.parent_code_id)
    if (siblings === undefined) children.set(code.parent_code_id, [code])
    else siblings.push(code)
  }
  return children
}
