import type { NetworkName } from '../config.js'
import type { Foundation } from '../foundation.js'
import { budgetOf, ruleOf } from '../ledger/rate-ledger.js'
import { dayMs } from '../limits.js'
import type { ActionType } from '../records/schema.js'
import { autopilotOwner } from './autopilot.js'

/** Whether one more could be published if somebody approved all that waits: nothing is generated that could not be. */
export async function hasQuota({ store, config, clock }: Foundation, network: NetworkName, action: ActionType) {
  const now = clock.now()
  const { remaining } = await budgetOf(store.db, ruleOf(config, action), { network }, now)
  if (remaining <= 0) return false
  const { waiting } = await store.db
    .selectFrom('approval_queue')
    .select((it) => it.fn.countAll<number>().as('waiting'))
    .where('owner', '=', autopilotOwner)
    .where('status', '=', 'pending')
    .where('network', '=', network)
    .where('action_type', '=', action)
    .where((it) => it.or([it('expires_at', 'is', null), it('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return remaining > Number(waiting)
}

/** Replies to target accounts have a limit of their own: proposed in the last day, and not turned down. */
export async function hasTargetQuota({ store, config, clock }: Foundation, network: NetworkName): Promise<boolean> {
  const { proposed } = await store.db
    .selectFrom('approval_queue as item')
    .innerJoin('discovered_posts as post', (join) =>
      join.onRef('post.network', '=', 'item.network').onRef('post.remote_id', '=', 'item.target_post_id'),
    )
    .select((it) => it.fn.countAll<number>().as('proposed'))
    .where('item.owner', '=', autopilotOwner)
    .where('item.status', 'in', ['pending', 'approved', 'scheduled', 'publishing', 'posted', 'unknown'])
    .where('item.network', '=', network)
    .where('item.created_at', '>', clock.now() - dayMs)
    .where('post.source', '=', 'target')
    .executeTakeFirstOrThrow()
  return Number(proposed) < config.limits.max_target_replies_per_day
}
