import { z } from 'zod'
import { CodeGraph } from '../project/code-graph.js'
import { publicPart } from '../text/private-memo.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function listCategoriesTool(): QdaTool {
  return readTool({
    name: 'list_categories',
    title: 'Categories of codes',
    description:
      'All categories of the codebook, by name, with their places in it and how many codes are directly in each.',
    input: z.object({}),
    data: z.object({
      categories: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          parent_id: z.int().nullable(),
          path: z.string().describe('From the topmost category down'),
          memo: z.string().nullable(),
          owner: z.string().nullable(),
          code_count: z.int(),
        }),
      ),
    }),
    read: (_, { project: { db } }) => {
      const graph = new CodeGraph(db)
      const counts = new Map<number | null, number>()
      for (const { category_id: id } of graph.codes) counts.set(id, (counts.get(id) ?? 0) + 1)
      return {
        categories: graph.categories.map(({ id, name, parent_id, memo, owner }) => ({
          id,
          name,
          parent_id,
          path: graph.categoryPath(id) ?? name,
          memo: publicPart(memo),
          owner,
          code_count: counts.get(id) ?? 0,
        })),
      }
    },
  })
}
