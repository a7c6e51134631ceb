import { z } from 'zod'
import { idAt, integerAt, isRecord, recordAt, textAt } from '../../json/read-json.js'

/** In the answer of whatever posts. */
export const heldShape = {
  pending_post_id: z.int().nullable().optional().describe('Of a post that is held for moderation'),
  pending_count: z.int().nullable().optional().describe('Posts of this user that wait for moderation'),
}

/** What a forum says of a post that it holds for moderation; undefined: it does not hold it. */
export function heldPost(answer: unknown) {
  if (!isRecord(answer) || textAt(answer, 'action') !== 'enqueued') return undefined
  return {
    pending_post_id: idAt(recordAt(answer, 'pending_post'), 'id') ?? null,
    pending_count: integerAt(answer, 'pending_count') ?? null,
  }
}
