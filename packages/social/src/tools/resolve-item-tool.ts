import { z } from 'zod'
import { changedMeanwhile, changeItem } from '../approval/change-item.js'
import type { Item } from '../approval/proposals.js'
import { countTargetReply } from '../discovery/target-accounts.js'
import { settle } from '../ledger/rate-ledger.js'
import { isOut, never, partsOf } from '../publishing/outbox-row.js'
import type { Database } from '../records/schema.js'
import type { DecisionParts } from './decision-tools.js'
import { findAskedItem, itemInput } from './item-input.js'
import { stateView } from './item-view.js'
import { backendOf } from './network-input.js'
import { oneOf } from './one-of.js'
import { recordItemAction } from './record-item-action.js'
import { changing, decides, type SocialTool } from './social-tool.js'

export function resolveItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'resolve_item',
    title: 'Settle an unknown item',
    description: 'Says of a post, of which nobody can tell whether it is out, what a person has seen on the network.',
    input: z.strictObject({
      ...itemInput,
      outcome: oneOf(['posted', 'failed']).describe('posted: it is there. failed: it is not, and will not come.'),
    }),
    data: stateView,
    marks: decides,
    access: 'operator',
    async change({ id, network, outcome }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findAskedItem(db, { id, network }, actor)
      if (item.status !== 'unknown') throw changedMeanwhile(item)
      const row = await db.selectFrom('outbox').selectAll().where('approval_id', '=', id).executeTakeFirstOrThrow()
      // What comes behind the part in doubt was never sent, and can not be: nobody knows what it would follow on.
      const isRestLeft = outcome === 'posted' && (await partsOf(db, row.id)).some(({ status }) => status === 'queued')
      const became = isRestLeft ? 'failed' : outcome
      const { rev } = await changeItem(db, item, became === 'posted' ? 'post' : 'fail', became, now)
      await db
        .updateTable('outbox')
        .set({
          status: became,
          ...(isRestLeft && partlyOut),
          next_try_at: never,
          finished_at: now,
          fence: row.fence + 1,
        })
        .where('id', '=', row.id)
        .execute()
      await db
        .updateTable('outbox_parts')
        .set(outcome === 'posted' ? { status: 'sent' } : { status: 'queued', sent_at: null })
        .where('outbox_id', '=', row.id)
        .where('status', '=', 'sending')
        .execute()
      const isPartlyOut = (await partsOf(db, row.id)).some(isOut)
      await settle(db, row.id, isPartlyOut ? 'used' : 'refunded', now)
      if (outcome === 'posted') await noteReply(db, item, now)
      await recordItemAction(db, item, {
        by: actor.principal,
        at: now,
        status: became === 'posted' ? 'success' : 'failure',
        message: `Item ${id} is ${became}, says ${actor.principal}.`,
        correlationId,
        isPosted: became === 'posted',
      })
      return { data: { status: became, id, rev }, meta: backendOf(item.network) }
    },
  })
}

const partlyOut = {
  last_code: 'thread_partial_failure',
  last_error: 'The part in doubt is out; what comes behind it was never sent.',
} as const

/** What it answers is answered: it leaves the feed, and its author has had a reply. */
async function noteReply(db: Database, item: Item, at: number): Promise<void> {
  const { network, target_post_id: postId, target_author_id: authorId } = item
  if (postId !== null) {
    await db
      .updateTable('discovered_posts')
      .set({ replied_to: 1 })
      .where('network', '=', network)
      .where('remote_id', '=', postId)
      .execute()
  }
  if (authorId !== null) await countTargetReply(db, { network, authorId, at })
}
