import { recordAction } from '../activity/record-action.js'
import type { Foundation } from '../foundation.js'
import { ruleOf, take } from '../ledger/rate-ledger.js'
import type { Networks } from '../networks/networks.js'
import { safetyProblem } from '../policy/safety-checks.js'
import type { Database } from '../records/schema.js'
import { changeItem, requireTransition } from './change-item.js'
import { candidateOf, contentOf } from './item-content.js'
import { logTypeOf } from './log-type.js'
import type { Item } from './proposals.js'

export interface Approval {
  /** `operator:ada`; `system:autopilot` where nobody has to approve. */
  readonly by: string
  readonly correlationId?: string
}

export interface Approved {
  readonly item: Item
  readonly outboxId: number
}

type Needs = Pick<Foundation, 'config' | 'clock' | 'random'> & { readonly networks: Networks }

/**
 * The one way from the queue into the outbox: judged once more, its place in the limits taken, and everything written that
 * publishing it needs, in the caller's transaction. Nothing is sent here. Throws a SocialFailure, and then nothing may commit.
 */
export async function approveItem(db: Database, item: Item, approval: Approval, needs: Needs): Promise<Approved> {
  const { config, clock } = needs
  const now = clock.now()
  requireTransition(item, 'approve', now)
  const dueAt = Math.max(item.scheduled_for ?? now, now)
  const problem = await safetyProblem(db, candidateOf(item, dueAt), config)
  if (problem !== undefined) throw problem

  const approved = await changeItem(db, item, 'approve', dueAt > now ? 'scheduled' : 'approved', now, {
    reviewed_by: approval.by,
    reviewed_at: now,
    reviewed_rev: item.rev,
  })
  const outboxId = await queue(db, item, dueAt, needs)
  await takePlace(db, approved, outboxId, dueAt, needs)
  await recordAction(db, {
    at: now,
    type: await logTypeOf(db, item),
    status: 'success',
    message: `Item ${item.id} was approved by ${approval.by}.`,
    metadata: {
      item_id: item.id,
      outbox_id: outboxId,
      network: item.network,
      rev: item.rev,
      content_hash: item.content_hash,
    },
    principal: approval.by,
    ...(approval.correlationId !== undefined && { correlationId: approval.correlationId }),
  })
  return { item: approved, outboxId }
}

/** Its row and parts in the outbox; each part has its key from now on. */
async function queue(db: Database, item: Item, dueAt: number, { clock, random, networks }: Needs): Promise<number> {
  const { id: outboxId } = await db
    .insertInto('outbox')
    .values({
      approval_id: item.id,
      network: item.network,
      status: 'queued',
      due_at: dueAt,
      fence: 0,
      attempts: 0,
      next_try_at: dueAt,
      created_at: clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { parts } = contentOf(item)
  const rows = parts.map((_, position) => {
    const { key, createdAt } = networks.get(item.network).newPublishKey(dueAt + position, random)
    return { outbox_id: outboxId, position, publish_key: key, created_at_fixed: createdAt, status: 'queued' as const }
  })
  await db.insertInto('outbox_parts').values(rows).execute()
  return outboxId
}

/** Throws `rate_limited`. */
export async function takePlace(
  db: Database,
  item: Item,
  outboxId: number,
  at: number,
  { config, clock }: Pick<Foundation, 'config' | 'clock'>,
): Promise<void> {
  const event = {
    action: item.action_type,
    network: item.network,
    outboxId,
    at,
    ...(item.target_author_id !== null && { authorId: item.target_author_id }),
  }
  await take(db, event, ruleOf(config, item.action_type), clock.now())
}
