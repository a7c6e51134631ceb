import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { addCategory, findCategoryNamed, requireCategory } from '../project/categories.js'
import { storedCodeName } from '../project/code-names.js'
import { withPublicPart } from '../text/private-memo.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function createCategoryTool(): WriteTool {
  return rowsTool({
    name: 'create_category',
    title: 'Create a category',
    description:
      'Adds a category for codes, at the top or in another category. No other category may have its name, wherever it is.',
    input: z.object({
      name: z.string().describe('Up to 100 characters'),
      parent_id: id('Of list_categories; null: at the top').nullish(),
      memo: z.string().nullish(),
    }),
    data: z.object({
      category_id: z.int(),
      name: z.string(),
      parent_id: z.int().nullable(),
      memo: z.string().nullable(),
    }),
    marks: { destructiveHint: false, idempotentHint: true },
    apply: (writer, { name: given, parent_id, memo: givenMemo }) => {
      const name = storedCodeName(given, 'CATEGORY_NOT_CREATED/INVALID_NAME')
      const memo = withPublicPart(null, givenMemo ?? null)
      const parentId = parent_id ?? null
      if (parentId !== null) requireCategory(writer.db, parentId)
      const same = findCategoryNamed(writer.db, name)
      if (same !== undefined)
        throw new QdaFailure('CATEGORY_NOT_CREATED/DUPLICATE_NAME', `Category with name '${name}' already exists`, {
          details: { category_id: same.id },
        })
      const categoryId = addCategory(writer, { name, memo, parentId })
      writer.summary = `Created category '${name}'`
      return { category_id: categoryId, name, parent_id: parentId, memo: memo || null }
    },
  })
}
