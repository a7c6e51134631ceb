import { z } from 'zod'
import { CodeGraph } from '../project/code-graph.js'
import { segmentCounts } from '../project/codes.js'
import { codeData, shownCode } from './code-data.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function listCodesTool(): QdaTool {
  return readTool({
    name: 'list_codes',
    title: 'The codebook',
    description:
      'All codes of the project, by name, with their colours, memos, places in the codebook, and how many segments each has. Look here before you create a code.',
    input: z.object({}),
    data: z.array(codeData),
    read: (_, { project: { db } }) => {
      const graph = new CodeGraph(db)
      const counts = segmentCounts(db)
      return graph.codes.map((code) => shownCode(code, graph, counts.get(code.id) ?? 0))
    },
  })
}
