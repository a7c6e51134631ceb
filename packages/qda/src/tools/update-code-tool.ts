import { z } from 'zod'
import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { requireCategory } from '../project/categories.js'
import { CodeGraph } from '../project/code-graph.js'
import { storedCodeName } from '../project/code-names.js'
import { type CodeRow, findCodeNamed, requireCode } from '../project/codes.js'
import { colorWarnings } from '../project/colors.js'
import { publicPart, withPublicPart } from '../text/private-memo.js'
import { codePlaceInput, givenColor, requireOnePlace, requireSubcodes } from './code-input.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

const fields = ['name', 'color', 'memo', 'category_id', 'parent_code_id'] as const

export function updateCodeTool(): WriteTool {
  return rowsTool({
    name: 'update_code',
    title: 'Change a code',
    description:
      'Changes what you give of a code, and tells what it was before; its segments stay. null clears the memo, the category or the code above. To put two codes together, use merge_codes.',
    input: z.object({
      code_id: id('Of list_codes'),
      name: z.string().optional(),
      color: z.string().optional().describe('#RGB or #RRGGBB'),
      memo: z.string().nullish(),
      ...codePlaceInput,
    }),
    data: z.object({
      code_id: z.int(),
      name: z.string(),
      color: z.string().nullable(),
      memo: z.string().nullable(),
      category_id: z.int().nullable(),
      parent_code_id: z.int().nullable(),
      changed: z.array(z.enum(fields)),
      old: z
        .object({
          name: z.string(),
          color: z.string().nullable(),
          memo: z.string().nullable(),
          category_id: z.int().nullable(),
          parent_code_id: z.int().nullable(),
        })
        .partial(),
      warnings: z.array(z.string()),
    }),
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    apply: (writer, given) => {
      requireOnePlace(given.category_id, given.parent_code_id)
      const code = requireCode(writer.db, given.code_id)
      const now = {
        name: given.name === undefined ? code.name : newName(writer, code, given.name),
        color: given.color === undefined ? code.color : givenColor(given.color, 'CODE_NOT_UPDATED/INVALID_COLOR'),
        memo: given.memo === undefined ? publicPart(code.memo) : given.memo || null,
        ...newPlace(writer, code, given),
      }
      const before = { ...code, memo: publicPart(code.memo) }
      const changed = fields.filter((field) => now[field] !== before[field])
      store(writer, code, now, changed)
      return {
        code_id: code.id,
        ...now,
        changed,
        old: Object.fromEntries(changed.map((field) => [field, before[field]])),
        warnings: changed.includes('color') && now.color !== null ? [...colorWarnings(now.color)] : [],
      }
    },
  })
}

type Field = (typeof fields)[number]
type Values = Pick<CodeRow, Field>

/** A name may change its case and its blanks alone. */
function newName(writer: Writer, code: CodeRow, given: string): string {
  if (given === code.name) return given
  const name = storedCodeName(given, 'CODE_NOT_UPDATED/INVALID_NAME')
  const same = findCodeNamed(writer.db, name, code.id)
  if (same === undefined) return name
  throw new QdaFailure('CODE_NOT_UPDATED/DUPLICATE_NAME', `Code with name '${name}' already exists`, {
    details: { code_id: same.id },
    suggestions: ['merge_codes puts both together.'],
  })
}

type Place = Pick<Values, 'category_id' | 'parent_code_id'>

/** One of both clears the other. */
function newPlace(
  { db }: Writer,
  code: CodeRow,
  given: { readonly [Key in keyof Place]?: Place[Key] | undefined },
): Place {
  const { category_id: category, parent_code_id: parent } = given
  if (category != null) {
    requireCategory(db, category)
    return { category_id: category, parent_code_id: null }
  }
  if (parent != null) {
    requireSubcodes(db)
    requireCode(db, parent)
    if (parent !== code.parent_code_id && new CodeGraph(db).isCodeWithin(parent, code.id)) throw cycle(code, parent)
    return { category_id: null, parent_code_id: parent }
  }
  return {
    category_id: category === undefined ? code.category_id : category,
    parent_code_id: parent === undefined ? code.parent_code_id : parent,
  }
}

const cycle = (code: CodeRow, parent: number): QdaFailure =>
  new QdaFailure('CODE_NOT_UPDATED/CYCLE', `Code ${parent} is '${code.name}' itself, or lies below it`, {
    details: { code_id: code.id, parent_code_id: parent },
  })

function store(writer: Writer, code: CodeRow, now: Values, changed: readonly Field[]): void {
  if (changed.length === 0) return
  const isMoved = changed.includes('category_id') || changed.includes('parent_code_id')
  writer.update('code_name', code.id, {
    ...(changed.includes('name') && { name: now.name }),
    ...(changed.includes('color') && { color: now.color }),
    ...(changed.includes('memo') && { memo: withPublicPart(code.memo, now.memo) }),
    // Of a sub-code, a category may be stored that does not count; it must not come to count by itself.
    ...(isMoved && { catid: now.category_id, supercid: now.parent_code_id }),
  })
  writer.summary = `Changed ${changed.join(', ')} of code '${code.name}'`
}
