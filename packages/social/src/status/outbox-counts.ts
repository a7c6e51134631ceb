import type { Database, OutboxStatus } from '../records/schema.js'

export interface OutboxCounts {
  /** Not out yet, the one that is being sent included. */
  readonly queued: number
  /** May be out: nobody knows yet. */
  readonly unknown: number
  readonly failed: number
}

export async function countOutbox(db: Database): Promise<OutboxCounts> {
  const rows = await db
    .selectFrom('outbox')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('status', '!=', 'posted')
    .groupBy('status')
    .execute()
  const of = (status: OutboxStatus) => Number(rows.find((row) => row.status === status)?.count ?? 0)
  return { queued: of('queued') + of('publishing'), unknown: of('unknown'), failed: of('failed') }
}
