import { z } from 'zod'
import { CodeGraph } from '../project/code-graph.js'
import { requireCode, sourcesOfCode } from '../project/codes.js'
import { codeData, shownCode } from './code-data.js'
import { id } from './common-input.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function getCodeTool(): QdaTool {
  return readTool({
    name: 'get_code',
    title: 'A code',
    description:
      'One code with its sub-codes, and how many segments it has in which source. list_segments_for_code reads the segments.',
    input: z.object({ code_id: id('Of list_codes') }),
    data: codeData.extend({
      children: z.array(z.object({ id: z.int(), name: z.string() })).describe('Codes directly below it'),
      by_source: z.array(z.object({ source_id: z.int(), source_name: z.string().nullable(), count: z.int() })),
    }),
    read: ({ code_id }, { project: { db } }) => {
      const code = requireCode(db, code_id)
      const graph = new CodeGraph(db)
      const bySource = sourcesOfCode(db, code_id)
      const count = bySource.reduce((sum, { count }) => sum + count, 0)
      return {
        ...shownCode(code, graph, count),
        children: graph.children(code_id).map(({ id, name }) => ({ id, name })),
        by_source: [...bySource],
      }
    },
  })
}
