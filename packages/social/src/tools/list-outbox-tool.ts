import { z } from 'zod'
import { partsOf } from '../publishing/outbox-row.js'
import { cursorInput, limitInput } from './common-input.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { oneOf } from './one-of.js'
import { outboxStatuses, outboxView, viewOutbox } from './outbox-view.js'
import { idAfter, pageOf } from './page-cursor.js'
import type { QueueParts } from './queue-tools.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const name = 'list_outbox'

export function listOutboxTool({ store, config }: QueueParts): SocialTool {
  return answering({
    name,
    title: 'Outbox',
    description: 'Approved posts on their way out, and what became of them, the oldest first. Agents see their own.',
    input: z.strictObject({
      status: oneOf(outboxStatuses).optional().describe('Only those. unknown: may be out, and nobody can tell yet.'),
      network: networkFilter,
      limit: limitInput(200, 50),
      cursor: cursorInput,
    }),
    data: z.array(outboxView),
    marks: reads,
    async answer({ status, network, limit, cursor }, actor) {
      let query = store.db.selectFrom('outbox').selectAll('outbox').where('outbox.id', '>', idAfter(name, cursor))
      if (!actor.isOperator) {
        query = query
          .innerJoin('approval_queue', 'approval_queue.id', 'outbox.approval_id')
          .where('approval_queue.owner', '=', actor.owner)
      }
      if (status !== undefined) query = query.where('outbox.status', '=', status)
      if (network !== undefined) query = query.where('outbox.network', '=', network)
      const found = query.orderBy('outbox.id').limit(limit + 1)
      const { items, meta } = pageOf(name, await found.execute(), limit)
      const data = await Promise.all(items.map(async (row) => viewOutbox(row, await partsOf(store.db, row.id))))
      return { data, meta: { ...meta, ...backendOfAll(config.networks, network, items) } }
    },
  })
}
