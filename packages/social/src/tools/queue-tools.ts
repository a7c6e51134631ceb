import { z } from 'zod'
import { findItem } from '../approval/find-item.js'
import type { Foundation } from '../foundation.js'
import type { Networks } from '../networks/networks.js'
import { partsOf } from '../publishing/outbox-row.js'
import { cursorInput } from './common-input.js'
import { itemView, outboxView, pendingView, viewItem, viewOutbox, viewPending } from './item-view.js'
import { backendOf, networkFilter } from './network-input.js'
import { idAfter, pageOf } from './page-cursor.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export const itemIdInput = z.int().min(1).max(Number.MAX_SAFE_INTEGER)
const listLimit = z.int().min(1).max(200).default(50)

type QueueParts = Pick<Foundation, 'store' | 'clock'> & { readonly networks: Networks }

/** What waits, what was decided, what became of it: an agent's own, an operator's all. */
export function queueTools(parts: QueueParts): readonly SocialTool[] {
  return [listPendingApprovals(parts), getPendingCount(parts), getItem(parts), listOutbox(parts)]
}

function listPendingApprovals({ store, clock, networks }: QueueParts): SocialTool {
  return answering({
    name: 'list_pending_approvals',
    title: 'List pending approvals',
    description:
      'Posts that wait for a person to approve them, the oldest first. Operators decide with: callboard approvals',
    input: z.object({ limit: listLimit, network: networkFilter, cursor: cursorInput }),
    data: z.array(pendingView),
    marks: reads,
    async answer({ limit, network, cursor }, actor) {
      let query = store.db
        .selectFrom('approval_queue')
        .selectAll()
        .where('status', '=', 'pending')
        .where('expires_at', '>', clock.now())
        .where('id', '>', idAfter('list_pending_approvals', cursor))
      if (!actor.isOperator) query = query.where('owner', '=', actor.owner)
      if (network !== undefined) query = query.where('network', '=', network)
      const { items, meta } = pageOf(
        'list_pending_approvals',
        await query
          .orderBy('id')
          .limit(limit + 1)
          .execute(),
        limit,
      )
      return {
        data: items.map(viewPending),
        meta: { ...meta, ...backendOf(network ?? soleOf(networks), ...items.map((item) => item.network)) },
      }
    },
  })
}

function getPendingCount({ store, clock, networks }: QueueParts): SocialTool {
  return answering({
    name: 'get_pending_count',
    title: 'Count pending approvals',
    description: 'How many posts wait for a person to approve them.',
    input: z.object({ network: networkFilter }),
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
      return { data: { pending_count: Number(count) }, meta: backendOf(network ?? soleOf(networks)) }
    },
  })
}

function getItem({ store, clock, networks }: QueueParts): SocialTool {
  return answering({
    name: 'get_item',
    title: 'Get an item',
    description: 'One post with its parts, its revisions, and what became of it. Agents see their own.',
    input: z.object({ id: itemIdInput }),
    data: itemView,
    marks: reads,
    async answer({ id }, actor) {
      const item = await findItem(store.db, id, actor)
      const network = networks.all.find(({ name }) => name === item.network)
      return { data: await viewItem(store.db, item, clock.now(), network), meta: backendOf(item.network) }
    },
  })
}

function listOutbox({ store, networks }: QueueParts): SocialTool {
  return answering({
    name: 'list_outbox',
    title: 'List the outbox',
    description: 'Approved posts on their way out, and what became of them. Agents see their own.',
    input: z.object({
      status: z.enum(['queued', 'publishing', 'posted', 'failed', 'unknown']).optional(),
      network: networkFilter,
      limit: listLimit,
      cursor: cursorInput,
    }),
    data: z.array(outboxView),
    marks: reads,
    async answer({ status, network, limit, cursor }, actor) {
      let query = store.db
        .selectFrom('outbox')
        .selectAll('outbox')
        .where('outbox.id', '>', idAfter('list_outbox', cursor))
      if (!actor.isOperator) {
        query = query
          .innerJoin('approval_queue', 'approval_queue.id', 'outbox.approval_id')
          .where('approval_queue.owner', '=', actor.owner)
      }
      if (status !== undefined) query = query.where('outbox.status', '=', status)
      if (network !== undefined) query = query.where('outbox.network', '=', network)
      const { items, meta } = pageOf(
        'list_outbox',
        await query
          .orderBy('outbox.id')
          .limit(limit + 1)
          .execute(),
        limit,
      )
      const data = await Promise.all(items.map(async (row) => viewOutbox(row, await partsOf(store.db, row.id))))
      return { data, meta: { ...meta, ...backendOf(network ?? soleOf(networks), ...items.map((row) => row.network)) } }
    },
  })
}

/** Where there is no other one, an empty list is of that network, too. */
function soleOf({ all, default: first }: Networks) {
  return all.length === 1 ? first.name : undefined
}
