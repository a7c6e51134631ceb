import { z } from 'zod'
import { takePlace } from '../approval/approve-item.js'
import { changeItem } from '../approval/change-item.js'
import { isOut, partsOf } from '../publishing/outbox-row.js'
import type { DecisionParts } from './decision-tools.js'
import { findAskedItem, itemInput } from './item-input.js'
import { stateView } from './item-view.js'
import { backendOf } from './network-input.js'
import { recordItemAction } from './record-item-action.js'
import { changing, decides, type SocialTool } from './social-tool.js'

export function retryItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'retry_item',
    title: 'Try an item again',
    description: 'A failed post goes out again, under the same keys: what is out of it already is not sent twice.',
    input: z.strictObject(itemInput),
    data: stateView,
    marks: { ...decides, idempotentHint: false, openWorldHint: true },
    access: 'operator',
    async change({ id, network }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findAskedItem(db, { id, network }, actor)
      const { rev } = await changeItem(db, item, 'retry', 'approved', now)
      const row = await db.selectFrom('outbox').select('id').where('approval_id', '=', id).executeTakeFirstOrThrow()
      // What is out of a thread has used its place.
      if (!(await partsOf(db, row.id)).some(isOut)) await takePlace(db, item, row.id, now, parts)
      const again = { status: 'queued', attempts: 0, due_at: now, next_try_at: now, finished_at: null } as const
      await db
        .updateTable('outbox')
        .set({ ...again, last_code: null, last_error: null })
        .where('id', '=', row.id)
        .execute()
      await recordItemAction(db, item, {
        by: actor.principal,
        at: now,
        status: 'success',
        message: `Item ${id} is tried again, by ${actor.principal}.`,
        correlationId,
      })
      return { data: { status: 'approved' as const, id, rev }, meta: backendOf(item.network) }
    },
    afterwards: parts.wakePublisher,
  })
}
