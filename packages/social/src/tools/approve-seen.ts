import { type Approved, approveItem } from '../approval/approve-item.js'
import { requireTransition } from '../approval/change-item.js'
import { requireSeen, type Seen } from '../approval/find-item.js'
import type { Item } from '../approval/proposals.js'
import type { NetworkName } from '../config.js'
import type { Database } from '../records/schema.js'
import type { Actor } from './actor.js'
import type { DecisionParts } from './decision-tools.js'
import { findAskedItem } from './item-input.js'

export interface AskedApproval extends Seen {
  readonly id: number
  readonly network?: NetworkName | undefined
}

/** Throws whatever speaks against it, and then nothing may commit. */
export async function approveSeen(
  db: Database,
  asked: AskedApproval,
  actor: Actor,
  parts: DecisionParts,
  correlationId: string,
): Promise<Approved> {
  const item = await findAskedItem(db, asked, actor)
  const before = await approvedBefore(db, item, asked, actor)
  if (before !== undefined) return before
  requireTransition(item, 'approve', parts.clock.now())
  requireSeen(item, asked)
  return approveItem(db, item, { by: actor.principal, correlationId }, parts)
}

/** The same decision of the same person, once more, while nothing has come of it yet: it has the first answer. */
async function approvedBefore(db: Database, item: Item, what: Seen, actor: Actor): Promise<Approved | undefined> {
  const isSame =
    (item.status === 'approved' || item.status === 'scheduled') &&
    item.reviewed_by === actor.principal &&
    (what.rev === undefined || what.rev === item.reviewed_rev) &&
    (what.content_hash === undefined || what.content_hash === item.content_hash)
  if (!isSame) return undefined
  const row = await db.selectFrom('outbox').select('id').where('approval_id', '=', item.id).executeTakeFirst()
  return row === undefined ? undefined : { item, outboxId: row.id }
}
