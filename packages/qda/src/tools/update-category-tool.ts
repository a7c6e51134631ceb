import { z } from 'zod'
import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { type CategoryRow, findCategoryNamed, requireCategory } from '../project/categories.js'
import { CodeGraph } from '../project/code-graph.js'
import { storedCodeName } from '../project/code-names.js'
import { publicPart, withPublicPart } from '../text/private-memo.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

const fields = ['name', 'parent_id', 'memo'] as const

export function updateCategoryTool(): WriteTool {
  return rowsTool({
    name: 'update_category',
    title: 'Change a category',
    description:
      'Changes what you give of a category, and tells what it was before; its codes stay in it. null clears the memo, or moves it to the top.',
    input: z.object({
      category_id: id('Of list_categories'),
      name: z.string().optional(),
      parent_id: id('Of list_categories; null: at the top').nullish(),
      memo: z.string().nullish(),
    }),
    data: z.object({
      category_id: z.int(),
      name: z.string(),
      parent_id: z.int().nullable(),
      memo: z.string().nullable(),
      changed: z.array(z.enum(fields)),
      old: z.object({ name: z.string(), parent_id: z.int().nullable(), memo: z.string().nullable() }).partial(),
    }),
    marks: { destructiveHint: false, idempotentHint: true },
    apply: (writer, given) => {
      const category = requireCategory(writer.db, given.category_id)
      const now = {
        name: given.name === undefined ? category.name : newName(writer, category, given.name),
        parent_id: given.parent_id === undefined ? category.parent_id : newParent(writer, category, given.parent_id),
        memo: given.memo === undefined ? publicPart(category.memo) : given.memo || null,
      }
      const before = { ...category, memo: publicPart(category.memo) }
      const changed = fields.filter((field) => now[field] !== before[field])
      store(writer, category, now, changed)
      return {
        category_id: category.id,
        ...now,
        changed,
        old: Object.fromEntries(changed.map((field) => [field, before[field]])),
      }
    },
  })
}

type Field = (typeof fields)[number]

/** A name may change its case and its blanks alone. */
function newName(writer: Writer, category: CategoryRow, given: string): string {
  if (given === category.name) return given
  const name = storedCodeName(given, 'CATEGORY_NOT_UPDATED/INVALID_NAME')
  const same = findCategoryNamed(writer.db, name, category.id)
  if (same === undefined) return name
  throw new QdaFailure('CATEGORY_NOT_UPDATED/DUPLICATE_NAME', `Category with name '${name}' already exists`, {
    details: { category_id: same.id },
  })
}

function newParent({ db }: Writer, category: CategoryRow, parent: number | null): number | null {
  if (parent === null) return null
  requireCategory(db, parent)
  if (parent === category.parent_id || !new CodeGraph(db).isCategoryWithin(parent, category.id)) return parent
  throw new QdaFailure('CATEGORY_NOT_UPDATED/CYCLE', `Category ${parent} is '${category.name}' itself, or lies in it`, {
    details: { category_id: category.id, parent_id: parent },
  })
}

function store(writer: Writer, category: CategoryRow, now: Pick<CategoryRow, Field>, changed: readonly Field[]): void {
  if (changed.length === 0) return
  writer.update('code_cat', category.id, {
    ...(changed.includes('name') && { name: now.name }),
    ...(changed.includes('parent_id') && { supercatid: now.parent_id }),
    ...(changed.includes('memo') && { memo: withPublicPart(category.memo, now.memo) }),
  })
  writer.summary = `Changed ${changed.join(', ')} of category '${category.name}'`
}
