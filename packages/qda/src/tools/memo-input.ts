import { z } from 'zod'
import { memoKinds } from '../project/memos.js'
import { id } from './common-input.js'

/** Whose memo. */
export const memoInput = {
  kind: z.enum(memoKinds),
  id: id('Of the source, code, category, case or segment; the project has none').optional(),
}

export const memoData = { kind: z.enum(memoKinds), id: z.int().nullable(), memo: z.string().nullable() }
