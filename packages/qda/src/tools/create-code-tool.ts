import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { requireCategory } from '../project/categories.js'
import { storedCodeName } from '../project/code-names.js'
import { addCode, allCodes, findCodeNamed, requireCode } from '../project/codes.js'
import { colorWarnings, leastUsedColor } from '../project/colors.js'
import { publicPart, withPublicPart } from '../text/private-memo.js'
import { codePlaceInput, givenColor, requireOnePlace, requireSubcodes } from './code-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function createCodeTool(): WriteTool {
  return rowsTool({
    name: 'create_code',
    title: 'Create a code',
    description:
      'Adds a code to the codebook, in a category or below another code. Names differ in more than case and blanks; on_duplicate "return" gives the code that has the name already. A colour that you leave out is picked.',
    input: z.object({
      name: z.string().describe('Up to 100 characters'),
      color: z.string().nullish().describe('#RGB or #RRGGBB'),
      memo: z.string().nullish().describe('What the code means, and when to apply it'),
      ...codePlaceInput,
      on_duplicate: z.enum(['error', 'return']).default('error'),
    }),
    data: z.object({
      code_id: z.int(),
      name: z.string(),
      color: z.string().nullable(),
      memo: z.string().nullable(),
      category_id: z.int().nullable(),
      parent_code_id: z.int().nullable(),
      created: z.boolean().describe('false: there was one of that name'),
      warnings: z.array(z.string()),
    }),
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    apply: (writer, { name: givenName, color: asked, memo, category_id, parent_code_id, on_duplicate }) => {
      const { db } = writer
      requireOnePlace(category_id, parent_code_id)
      const name = storedCodeName(givenName, 'CODE_NOT_CREATED/INVALID_NAME')
      const givenOne = asked == null ? undefined : givenColor(asked, 'CODE_NOT_CREATED/INVALID_COLOR')
      const publicMemo = withPublicPart(null, memo ?? null)
      if (category_id != null) requireCategory(db, category_id)
      if (parent_code_id != null) {
        requireSubcodes(db)
        requireCode(db, parent_code_id)
      }
      const same = findCodeNamed(db, name)
      if (same !== undefined) {
        if (on_duplicate === 'error') throw duplicate(name, same.id)
        const { id, memo, owner: _, created_at: __, ...rest } = same
        return { code_id: id, ...rest, memo: publicPart(memo), created: false, warnings: [] }
      }
      const color = givenOne ?? leastUsedColor(allCodes(db))
      const place = { categoryId: category_id ?? null, parentId: parent_code_id ?? null }
      const id = addCode(writer, { name, color, memo: publicMemo, ...place })
      writer.summary = `Created code '${name}'`
      return {
        code_id: id,
        name,
        color,
        memo: publicMemo || null,
        category_id: place.categoryId,
        parent_code_id: place.parentId,
        created: true,
        warnings: [...colorWarnings(color)],
      }
    },
  })
}

const duplicate = (name: string, id: number): QdaFailure =>
  new QdaFailure('CODE_NOT_CREATED/DUPLICATE_NAME', `Code with name '${name}' already exists`, {
    details: { code_id: id },
    suggestions: ['Use the code there is, or call again with on_duplicate "return".'],
  })
