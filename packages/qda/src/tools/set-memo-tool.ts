import { z } from 'zod'
import { findMemo, type MemoKind, type StoredMemo } from '../project/memos.js'
import { appendPublic, publicPart, withPublicPart } from '../text/private-memo.js'
import { memoData, memoInput } from './memo-input.js'
import { type ProjectCall, rowsTool, type WriteTool } from './qda-tool.js'

export function setMemoTool(): WriteTool {
  return rowsTool({
    name: 'set_memo',
    title: 'Write a memo',
    description:
      'Writes a memo, or with append adds a paragraph to it. What researchers keep to themselves, from ##### on, stays as it is. A memo of blanks alone empties it. Another coder’s segment needs confirm.',
    input: z.object({
      ...memoInput,
      memo: z.string(),
      append: z.boolean().default(false).describe('Adds to what is there, instead of replacing it'),
    }),
    data: z.object({ ...memoData, changed: z.boolean() }),
    marks: { destructiveHint: false, idempotentHint: false },
    prepare: ({ kind, id }, { project }) => findMemo(project.db, kind, id),
    level: ({ kind }, call, stored) => (isForeign(kind, call, stored) ? 'T3' : 'T2'),
    needsConfirm: ({ kind }, call, stored) => isForeign(kind, call, stored),
    apply: (writer, { kind, id, memo: given, append }) => {
      const { table, key, memo: before } = findMemo(writer.db, kind, id)
      const text = given.trim() === '' ? '' : given
      const memo = append ? (text === '' ? before : appendPublic(before, text)) : withPublicPart(before, text)
      const isChanged = (memo ?? '') !== (before ?? '')
      if (isChanged) writer.update(table, key, { memo })
      writer.summary = `Wrote the memo of ${kind === 'project' ? 'the project' : `${kind} ${key}`}`
      return { kind, id: kind === 'project' ? null : (id ?? null), memo: publicPart(memo), changed: isChanged }
    },
  })
}

/** Codings are their coder's; all else is everybody's. */
const isForeign = (kind: MemoKind, { actor }: ProjectCall, { owner }: StoredMemo): boolean =>
  kind === 'coding' && owner !== actor.coder
