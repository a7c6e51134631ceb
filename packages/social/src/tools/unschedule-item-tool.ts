import { z } from 'zod'
import { changedMeanwhile, changeItem, requireTransition } from '../approval/change-item.js'
import { settle } from '../ledger/rate-ledger.js'
import { hourMs } from '../limits.js'
import { partsOf } from '../publishing/outbox-row.js'
import type { DecisionParts } from './decision-tools.js'
import { findAskedItem, itemInput } from './item-input.js'
import { stateView } from './item-view.js'
import { backendOf } from './network-input.js'
import { recordItemAction } from './record-item-action.js'
import { changing, decides, type SocialTool } from './social-tool.js'

export function unscheduleItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'unschedule_item',
    title: 'Take an approval back',
    description: 'An approved post of which nothing was sent waits for a decision again.',
    input: z.strictObject(itemInput),
    data: stateView,
    marks: { ...decides, destructiveHint: false },
    access: 'operator',
    async change({ id, network }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findAskedItem(db, { id, network }, actor)
      requireTransition(item, 'unschedule', now)
      const row = await db.selectFrom('outbox').selectAll().where('approval_id', '=', id).executeTakeFirstOrThrow()
      const isStarted = (await partsOf(db, row.id)).some(({ status }) => status !== 'queued')
      if (row.status !== 'queued' || isStarted) throw changedMeanwhile(item)
      const { rev } = await changeItem(db, item, 'unschedule', 'pending', now, {
        expires_at: now + parts.config.approval.ttl_hours * hourMs,
        reviewed_by: null,
        reviewed_at: null,
        reviewed_rev: null,
      })
      await settle(db, row.id, 'refunded', now)
      await db.deleteFrom('outbox_parts').where('outbox_id', '=', row.id).execute()
      await db.deleteFrom('outbox').where('id', '=', row.id).execute()
      await recordItemAction(db, item, {
        by: actor.principal,
        at: now,
        status: 'success',
        message: `Item ${id} waits again, by ${actor.principal}.`,
        correlationId,
      })
      return { data: { status: 'pending' as const, id, rev }, meta: backendOf(item.network) }
    },
  })
}
