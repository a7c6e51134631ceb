import { failure, type SocialFailure } from '../envelope/failure.js'
import type { Database, ItemStatus } from '../records/schema.js'
import type { Item } from './proposals.js'
import { mayHappen, type Transition } from './transitions.js'

type Change = Partial<
  Pick<
    Item,
    | 'parts'
    | 'content_hash'
    | 'risks'
    | 'expires_at'
    | 'cost_estimate'
    | 'reviewed_by'
    | 'reviewed_at'
    | 'reviewed_rev'
    | 'reason'
  >
>

/**
 * One compare-and-set: the item is what it was when it was read, or nothing changes. Returns it as it is now. Throws
 * `conflict`, `expired` or `not_found`, with what it is.
 */
export async function changeItem(
  db: Database,
  item: Item,
  transition: Transition,
  status: ItemStatus,
  now: number,
  change: Change = {},
): Promise<Item> {
  requireTransition(item, transition, now)
  const changed = await db
    .updateTable('approval_queue')
    .set({ ...(status !== 'pending' && { expires_at: null }), ...change, status, rev: item.rev + 1, updated_at: now })
    .where('id', '=', item.id)
    .where('status', '=', item.status)
    .where('rev', '=', item.rev)
    .where('content_hash', '=', item.content_hash)
    .returningAll()
    .executeTakeFirst()
  if (changed !== undefined) return changed
  const current = await db.selectFrom('approval_queue').selectAll().where('id', '=', item.id).executeTakeFirst()
  throw current === undefined ? noSuchItem(item.id) : changedMeanwhile(current)
}

/** Throws unless this may happen to the item as it is. */
export function requireTransition(item: Item, transition: Transition, now: number): void {
  if (isExpired(item, now) && transition !== 'expire') throw expired(item)
  if (!mayHappen(transition, item.status)) throw cannot(item, transition)
}

/** Also before the sweeper has come by. */
export function isExpired({ status, expires_at }: Pick<Item, 'status' | 'expires_at'>, now: number): boolean {
  return status === 'expired' || (status === 'pending' && expires_at !== null && expires_at <= now)
}

export function noSuchItem(id: number): SocialFailure {
  return failure('not_found', `There is no item ${id}. list_pending_approvals and list_outbox tell which there are.`)
}

export function changedMeanwhile({ id, status, rev }: Item): SocialFailure {
  return failure(
    'conflict',
    `Item ${id} has changed meanwhile: it is ${status}, revision ${rev}. Read it with get_item and decide again.`,
    {
      details: { id, status, rev },
    },
  )
}

function expired({ id }: Item): SocialFailure {
  return failure('expired', `Item ${id} has expired: nobody decided in time. Propose it again.`, {
    details: { id, status: 'expired' },
  })
}

function cannot({ id, status, rev }: Item, transition: Transition): SocialFailure {
  return failure('conflict', `Item ${id} is ${status}; ${words[transition]}.`, { details: { id, status, rev } })
}

const words: { readonly [transition in Transition]: string } = {
  edit: 'only a pending one can be edited',
  withdraw:
    'only a pending one can be withdrawn; as long as nothing is sent an operator can take it back: callboard approvals unschedule',
  reject: 'only a pending one can be rejected',
  expire: 'only a pending one expires',
  approve: 'only a pending one can be approved',
  unschedule: 'only one that is approved and of which nothing was sent can be taken back',
  publish: 'it is not to be published',
  delay: 'it is not being published',
  doubt: 'it is not being published',
  post: 'it is not being published',
  fail: 'it is not being published',
  retry: 'only a failed one can be tried again',
}
