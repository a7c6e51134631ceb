import { z } from 'zod'
import { changeItem } from '../approval/change-item.js'
import { findAskedItem, itemInput } from './item-input.js'
import { backendOf } from './network-input.js'
import type { ProposalParts } from './proposal-tools.js'
import { recordItemAction } from './record-item-action.js'
import { changing, decides, type SocialTool } from './social-tool.js'

export function withdrawItemTool({ clock }: ProposalParts): SocialTool {
  return changing({
    name: 'withdraw_item',
    title: 'Withdraw a pending item',
    description: 'Takes back a post of yours that waits; it will not go out.',
    input: z.strictObject(itemInput),
    data: z.strictObject({ status: z.literal('withdrawn'), id: z.int() }),
    marks: decides,
    async change({ id, network }, actor, db, _, { correlationId }) {
      const now = clock.now()
      const item = await findAskedItem(db, { id, network }, actor)
      const reply = { data: { status: 'withdrawn' as const, id }, meta: backendOf(item.network) }
      if (item.status === 'withdrawn') return reply
      const withdrawn = await changeItem(db, item, 'withdraw', 'withdrawn', now)
      await recordItemAction(db, withdrawn, {
        by: actor.principal,
        at: now,
        status: 'skipped',
        message: `Item ${id} was withdrawn.`,
        correlationId,
      })
      return reply
    },
  })
}
