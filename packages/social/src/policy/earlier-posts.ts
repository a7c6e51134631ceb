import type { NetworkName } from '../config.js'
import type { ActionType, Database, ItemStatus } from '../records/schema.js'

/** What became public or is on its way there. */
export const outgoing = ['approved', 'scheduled', 'publishing', 'posted', 'unknown'] as const satisfies ItemStatus[]

/** An item of ours, as far as another one is compared with it. */
export interface EarlierPost {
  readonly id: number
  readonly action: ActionType
  readonly parts: readonly string[]
  /** UTC ms: when it went out, or is to. */
  readonly at: number
}

interface Which {
  readonly network: NetworkName
  /** Not this one. */
  readonly itemId?: number | undefined
}

/** The newest that went out or will, newest first; of a thread that failed half-way, too. */
export async function earlierPosts(
  db: Database,
  which: Which & { readonly only?: ActionType },
  limit: number,
): Promise<readonly EarlierPost[]> {
  const rows = await itemsOf(db, which)
    .$if(which.only !== undefined, (query) => query.where('item.action_type', '=', which.only!))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('item.status', 'in', outgoing),
        exists(
          selectFrom('outbox_parts')
            .select('outbox_parts.position')
            .whereRef('outbox_parts.outbox_id', '=', 'outbox.id')
            .where('outbox_parts.remote_id', 'is not', null),
        ),
      ]),
    )
    .orderBy('item.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(earlierPost)
}

/** What waits for a decision and was written, or is to go out, between those times; newest first. */
export async function waitingPosts(
  db: Database,
  which: Which,
  times: { readonly from: number; readonly to: number },
  limit: number,
): Promise<readonly EarlierPost[]> {
  const rows = await itemsOf(db, which)
    .where('item.status', '=', 'pending')
    .where(({ fn, between }) => between(fn.coalesce('item.scheduled_for', 'item.created_at'), times.from, times.to))
    .orderBy('item.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(earlierPost)
}

function itemsOf(db: Database, { network, itemId }: Which) {
  return db
    .selectFrom('approval_queue as item')
    .leftJoin('outbox', 'outbox.approval_id', 'item.id')
    .select(['item.id', 'item.action_type', 'item.parts', 'item.scheduled_for', 'item.created_at', 'outbox.due_at'])
    .select(({ selectFrom }) =>
      selectFrom('outbox_parts')
        .select(({ fn }) => fn.min('outbox_parts.sent_at').as('first'))
        .whereRef('outbox_parts.outbox_id', '=', 'outbox.id')
        .as('sent_at'),
    )
    .where('item.network', '=', network)
    .$if(itemId !== undefined, (query) => query.where('item.id', '!=', itemId!))
}

type Read = Awaited<ReturnType<ReturnType<typeof itemsOf>['execute']>>[number]

function earlierPost({
  id,
  action_type: action,
  parts,
  sent_at,
  due_at,
  scheduled_for,
  created_at,
}: Read): EarlierPost {
  return {
    id,
    action,
    parts: JSON.parse(parts) as readonly string[],
    at: sent_at ?? due_at ?? scheduled_for ?? created_at,
  }
}
