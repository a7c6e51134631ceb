import { z } from 'zod'
import { findMemo } from '../project/memos.js'
import { publicPart } from '../text/private-memo.js'
import { memoData, memoInput } from './memo-input.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function getMemoTool(): QdaTool {
  return readTool({
    name: 'get_memo',
    title: 'Read a memo',
    description:
      'The memo of the project, a source, a code, a category, a case or a segment. What researchers keep to themselves, from ##### on, is not shown.',
    input: z.object(memoInput),
    data: z.object(memoData),
    read: ({ kind, id }, { project: { db } }) => ({
      kind,
      id: kind === 'project' ? null : (id ?? null),
      memo: publicPart(findMemo(db, kind, id).memo),
    }),
  })
}
