import { z } from 'zod'
import { backendOfAll, networkFilter } from './network-input.js'
import type { QueueParts } from './queue-tools.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export function getPendingCountTool({ store, clock, config }: QueueParts): SocialTool {
  return answering({
    name: 'get_pending_count',
    title: 'Pending count',
    description: 'How many posts wait for a person to approve them: of your own; for an operator, of everybody’s.',
    input: z.strictObject({ network: networkFilter }),
    data: z.strictObject({ pending_count: z.int().min(0) }),
    marks: reads,
    async answer({ network }, actor) {
      let query = store.db
        .selectFrom('approval_queue')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('status', '=', 'pending')
        .where('expires_at', '>', clock.now())
      if (!actor.isOperator) query = query.where('owner', '=', actor.owner)
      if (network !== undefined) query = query.where('network', '=', network)
      const { count } = await query.executeTakeFirstOrThrow()
      return { data: { pending_count: Number(count) }, meta: backendOfAll(config.networks, network) }
    },
  })
}
