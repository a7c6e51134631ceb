import { z } from 'zod'
import { approveSeen } from './approve-seen.js'
import type { DecisionParts } from './decision-tools.js'
import { itemInput, seenInput } from './item-input.js'
import { backendOf } from './network-input.js'
import { changing, decides, type SocialTool } from './social-tool.js'

export function approveItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'approve_item',
    title: 'Approve an item',
    description:
      'Lets a pending post go out, as it was seen: give rev and content_hash of what was shown. It is queued; the publisher sends it.',
    input: z.strictObject({ ...itemInput, ...seenInput }),
    data: z.strictObject({ status: z.literal('approved'), id: z.int(), outbox_id: z.int() }),
    marks: { ...decides, openWorldHint: true },
    access: 'operator',
    async change(asked, actor, db, _, { correlationId }) {
      const { item, outboxId } = await approveSeen(db, asked, actor, parts, correlationId)
      return { data: { status: 'approved' as const, id: item.id, outbox_id: outboxId }, meta: backendOf(item.network) }
    },
    afterwards: parts.wakePublisher,
  })
}
