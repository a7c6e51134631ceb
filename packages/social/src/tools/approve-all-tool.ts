import type { Context } from '@callboard/worker'
import { z } from 'zod'
import type { NetworkName } from '../config.js'
import { approvalBatchMax } from '../limits.js'
import type { Actor } from './actor.js'
import { type AskedApproval, approveSeen } from './approve-seen.js'
import type { DecisionParts } from './decision-tools.js'
import { failureOf } from './failure-of.js'
import { itemIdInput, seenInput } from './item-input.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { answering, decides, type SocialTool } from './social-tool.js'

const name = 'approve_all'

const outcome = z.strictObject({
  id: z.int(),
  outcome: z.enum(['approved', 'error']),
  code: z.string().exactOptional(),
})
type Outcome = z.output<typeof outcome> & { readonly network: NetworkName | null }

export function approveAllTool(parts: DecisionParts): SocialTool {
  const { store, clock, config } = parts
  return answering({
    name,
    title: 'Approve several items',
    description:
      'Approves the named items, or the oldest pending ones, each by itself: one that can not be approved leaves the others alone.',
    input: z.strictObject({
      max: z
        .int()
        .min(1)
        .max(approvalBatchMax)
        .default(config.approval.max_batch)
        .describe('How many at most; of the named ones, the first.'),
      items: z
        .array(z.strictObject({ id: itemIdInput, ...seenInput }))
        .min(1)
        .max(approvalBatchMax)
        .optional()
        .describe('What was shown to the person who approves. Default: the oldest that wait.'),
      network: networkFilter,
    }),
    data: z.strictObject({ approved: z.int(), errors: z.int(), total: z.int(), items: z.array(outcome) }),
    marks: { ...decides, idempotentHint: false, openWorldHint: true },
    access: 'operator',
    async answer({ max, items, network }, actor, context, correlationId) {
      const chosen = items?.slice(0, max) ?? (await oldestPending(max, network))
      const outcomes: Outcome[] = []
      for (const asked of chosen) outcomes.push(await approveOne({ ...asked, network }, actor, context, correlationId))
      parts.wakePublisher()
      const approved = outcomes.filter((each) => each.outcome === 'approved').length
      return {
        data: {
          approved,
          errors: outcomes.length - approved,
          total: outcomes.length,
          items: outcomes.map(({ network: _, ...shown }) => shown),
        },
        meta: backendOfAll(config.networks, network, outcomes),
      }
    },
  })

  async function oldestPending(max: number, network: NetworkName | undefined): Promise<readonly AskedApproval[]> {
    let query = store.db
      .selectFrom('approval_queue')
      .select(['id', 'rev', 'content_hash'])
      .where('status', '=', 'pending')
      .where('expires_at', '>', clock.now())
    if (network !== undefined) query = query.where('network', '=', network)
    return query.orderBy('id').limit(max).execute()
  }

  /** Whatever one of them fails with, what was approved before it is told. */
  async function approveOne(
    asked: AskedApproval,
    actor: Actor,
    context: Context,
    correlationId: string,
  ): Promise<Outcome> {
    const { id } = asked
    try {
      const { item } = await store.transaction((db) => approveSeen(db, asked, actor, parts, correlationId), {
        signal: context.signal,
      })
      return { id, outcome: 'approved', network: item.network }
    } catch (error) {
      return { id, outcome: 'error', code: failureOf(error, name, context, parts).code, network: null }
    }
  }
}
