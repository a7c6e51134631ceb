import { z } from 'zod'
import type { CodeGraph } from '../project/code-graph.js'
import type { CodeRow } from '../project/codes.js'
import { publicPart } from '../text/private-memo.js'

/** A code as tools show it. */
export const codeData = z.object({
  id: z.int(),
  name: z.string(),
  color: z.string().nullable(),
  segment_count: z.int().describe('Of text, images, audio and video'),
  memo: z.string().nullable(),
  category_id: z.int().nullable(),
  category_path: z
    .string()
    .nullable()
    .describe('From the topmost category down; of a sub-code, that of the codes above it'),
  parent_code_id: z.int().nullable().describe('Of a sub-code'),
  owner: z.string().nullable(),
  created_at: z.string().nullable(),
})

export function shownCode(code: CodeRow, graph: CodeGraph, count: number): z.input<typeof codeData> {
  const { id, name, color, category_id, parent_code_id, owner, created_at } = code
  return {
    id,
    name,
    color,
    segment_count: count,
    memo: publicPart(code.memo),
    category_id,
    category_path: graph.pathOfCode(code),
    parent_code_id,
    owner,
    created_at,
  }
}
