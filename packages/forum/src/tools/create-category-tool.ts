import { z } from 'zod'
import { idAt, type JsonRecord, recordAt, recordsAt, textAt } from '../json/read-json.js'
import { writeInput } from '../writes/write-shape.js'
import { id, textOf } from './common-input.js'
import { writeTool } from './forum-tool.js'
import { unexpectedAnswer } from './unexpected-answer.js'

const color = (what: string) =>
  z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/, { error: 'must be six hexadecimal digits, without #' })
    .describe(what)

export const createCategoryTool = () =>
  writeTool({
    name: 'discourse_create_category',
    title: 'Create a category',
    description: 'Creates a category. The key must belong to an admin. A name that is taken already is refused.',
    input: writeInput({
      name: textOf(1, 100, 'Its name'),
      // Older forums ask for both colours; these are their own defaults.
      color: color('Of the background: six hexadecimal digits, no #').default('0088CC'),
      text_color: color('Of the text: six hexadecimal digits, no #').default('FFFFFF'),
      parent_category_id: id('The category in which it is').optional(),
      description: textOf(1, 10_000, 'What belongs in it').optional(),
    }),
    output: z.strictObject({ id: z.int(), slug: z.string(), name: z.string() }),
    marks: { destructiveHint: false, idempotentHint: false },
    request: ({ name, color, text_color, parent_category_id, description }) => ({
      method: 'POST',
      path: '/categories.json',
      json: {
        name,
        color,
        text_color,
        ...(parent_category_id !== undefined && { parent_category_id }),
        ...(description !== undefined && { description }),
      },
    }),
    effect(answer, { name }) {
      const output = viewOf(recordAt(answer, 'category'), name)
      if (output === undefined) throw unexpectedAnswer('the id of the new category')
      return { output }
    },
    lookFirst: 'read the resource discourse://site/categories.',
    async find({ name, parent_category_id }, { client, scope }) {
      const site = await client.get('/site.json', [], scope)
      const found = recordsAt(site, 'categories').find(
        (category) =>
          textAt(category, 'name')?.toLowerCase() === name.trim().toLowerCase() &&
          idAt(category, 'parent_category_id') === parent_category_id,
      )
      return found === undefined ? undefined : viewOf(found, name)
    },
  })

function viewOf(category: JsonRecord, name: string) {
  const categoryId = idAt(category, 'id')
  if (categoryId === undefined) return undefined
  return {
    id: categoryId,
    // Forums in some languages make none.
    slug: textAt(category, 'slug') || `${categoryId}-category`,
    name: textAt(category, 'name') ?? name,
  }
}
