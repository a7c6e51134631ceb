import { z } from 'zod'
import { cursorInput, limitInput } from './common-input.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { idAfter, pageOf } from './page-cursor.js'
import { pendingView, viewPending } from './pending-view.js'
import type { QueueParts } from './queue-tools.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const name = 'list_pending_approvals'

export function listPendingApprovalsTool({ store, clock, config }: QueueParts): SocialTool {
  return answering({
    name,
    title: 'Pending approvals',
    description:
      'Posts that wait for a person to approve them, the oldest first: your own; for an operator, everybody’s. Operators decide with: callboard approvals',
    input: z.strictObject({ limit: limitInput(200, 50), network: networkFilter, cursor: cursorInput }),
    data: z.array(pendingView),
    marks: reads,
    async answer({ limit, network, cursor }, actor) {
      let query = store.db
        .selectFrom('approval_queue')
        .selectAll()
        .where('status', '=', 'pending')
        .where('expires_at', '>', clock.now())
        .where('id', '>', idAfter(name, cursor))
      if (!actor.isOperator) query = query.where('owner', '=', actor.owner)
      if (network !== undefined) query = query.where('network', '=', network)
      const found = query.orderBy('id').limit(limit + 1)
      const { items, meta } = pageOf(name, await found.execute(), limit)
      return { data: items.map(viewPending), meta: { ...meta, ...backendOfAll(config.networks, network, items) } }
    },
  })
}
