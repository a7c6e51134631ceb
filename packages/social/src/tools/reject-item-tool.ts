import { z } from 'zod'
import { changeItem, requireTransition } from '../approval/change-item.js'
import { requireSeen } from '../approval/find-item.js'
import { reasonMax } from '../limits.js'
import type { DecisionParts } from './decision-tools.js'
import { findAskedItem, itemInput, seenInput } from './item-input.js'
import { backendOf } from './network-input.js'
import { recordItemAction } from './record-item-action.js'
import { changing, decides, type SocialTool } from './social-tool.js'

export function rejectItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'reject_item',
    title: 'Reject an item',
    description: 'A pending post will not go out; whoever proposed it can read why.',
    input: z.strictObject({
      ...itemInput,
      reason: z.string().trim().max(reasonMax).optional().describe('For whoever proposed it.'),
      ...seenInput,
    }),
    data: z.strictObject({ status: z.literal('rejected'), id: z.int() }),
    marks: decides,
    access: 'operator',
    async change({ id, network, reason: given = '', ...what }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const reason = given === '' ? null : given
      const item = await findAskedItem(db, { id, network }, actor)
      const data = { status: 'rejected' as const, id }
      const isRepeat = item.status === 'rejected' && item.reviewed_by === actor.principal && item.reason === reason
      if (isRepeat) return { data, meta: backendOf(item.network) }
      requireTransition(item, 'reject', now)
      requireSeen(item, what)
      await changeItem(db, item, 'reject', 'rejected', now, {
        reviewed_by: actor.principal,
        reviewed_at: now,
        reviewed_rev: item.rev,
        reason,
      })
      await recordItemAction(db, item, {
        by: actor.principal,
        at: now,
        status: 'skipped',
        message: `Item ${id} was rejected by ${actor.principal}.`,
        correlationId,
      })
      return { data, meta: backendOf(item.network) }
    },
  })
}
