import type { NetworkName } from '../config.js'
import type { Database } from '../records/schema.js'

export interface SentReply {
  /** Of the item. */
  readonly id: number
  readonly network: NetworkName
  readonly status: 'posted' | 'failed' | 'unknown'
  readonly targetId: string
  readonly text: string
  /** UTC ms: when it was sent, or given up. */
  readonly at: number
  readonly remoteId?: string
  readonly url?: string
  readonly error?: string
}

export interface RepliesQuery {
  /** UTC ms. */
  readonly since: number
  readonly network?: NetworkName | undefined
  readonly limit: number
  /** Where the page before ended. */
  readonly before?: readonly [at: number, id: number] | undefined
}

/** Replies that were sent, or that we tried to send: a view on the outbox. Newest first. */
export async function readReplies(db: Database, query: RepliesQuery): Promise<readonly SentReply[]> {
  const { since, network, limit, before } = query
  const rows = await db
    .selectFrom(({ selectFrom }) =>
      selectFrom('approval_queue')
        .innerJoin('outbox', 'outbox.approval_id', 'approval_queue.id')
        .leftJoin('outbox_parts', (join) =>
          join.onRef('outbox_parts.outbox_id', '=', 'outbox.id').on('outbox_parts.position', '=', 0),
        )
        .select([
          'approval_queue.id',
          'approval_queue.network',
          'approval_queue.parts',
          'approval_queue.target_post_id',
        ])
        .select(['outbox.status', 'outbox.last_error', 'outbox_parts.remote_id', 'outbox_parts.url'])
        // What is `unknown` was neither: it was due.
        .select(({ fn }) => fn.coalesce('outbox_parts.sent_at', 'outbox.finished_at', 'outbox.due_at').as('at'))
        .where('approval_queue.action_type', '=', 'reply')
        .where('outbox.status', 'in', ['posted', 'failed', 'unknown'])
        .$if(network !== undefined, (select) => select.where('approval_queue.network', '=', network!))
        .as('reply'),
    )
    .selectAll()
    .where('at', '>=', since)
    .$if(before !== undefined, (select) =>
      select.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(...before!))),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    network: row.network,
    status: row.status as SentReply['status'],
    targetId: row.target_post_id ?? '',
    text: (JSON.parse(row.parts) as readonly string[])[0] ?? '',
    at: row.at,
    ...(row.remote_id !== null && { remoteId: row.remote_id }),
    ...(row.url !== null && { url: row.url }),
    ...(row.last_error !== null && row.status !== 'posted' && { error: row.last_error }),
  }))
}

/** How many were posted from that time on, and before the other one. */
export async function countReplies(
  db: Database,
  { from, to, network }: { readonly from: number; readonly to: number; readonly network?: NetworkName | undefined },
): Promise<number> {
  const { count } = await db
    .selectFrom('approval_queue')
    .innerJoin('outbox', 'outbox.approval_id', 'approval_queue.id')
    .innerJoin('outbox_parts', 'outbox_parts.outbox_id', 'outbox.id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('approval_queue.action_type', '=', 'reply')
    .where('outbox_parts.position', '=', 0)
    .where('outbox_parts.sent_at', '>=', from)
    .where('outbox_parts.sent_at', '<', to)
    .$if(network !== undefined, (query) => query.where('approval_queue.network', '=', network!))
    .executeTakeFirstOrThrow()
  return Number(count)
}
