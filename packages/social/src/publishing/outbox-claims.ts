import { changeItem } from '../approval/change-item.js'
import type { NetworkName } from '../config.js'
import type { Foundation } from '../foundation.js'
import { dayMs, publishLeaseMs, publishLeaseMsMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import { type OutboxEntry, type OutboxRow, readEntry } from './outbox-row.js'

/** The next row of a network that is to be published, or looked for, now: leased, so that nobody else has it. */
export async function claimNext(
  { store, clock }: Pick<Foundation, 'store' | 'clock'>,
  network: NetworkName,
  owner: string,
): Promise<OutboxEntry | undefined> {
  // Most of the time there is nothing to do, and no reason to make others wait.
  if ((await nextRow(store.db, network, clock.now())) === undefined) return undefined
  return store.transaction(async (db) => {
    const now = clock.now()
    const row = await nextRow(db, network, now)
    if (row === undefined) return undefined
    const claimed = await db
      .updateTable('outbox')
      .set({
        status: 'publishing',
        lease_owner: owner,
        lease_until: now + publishLeaseMs,
        fence: row.fence + 1,
        attempts: row.attempts + 1,
      })
      .where('id', '=', row.id)
      .where('fence', '=', row.fence)
      .returningAll()
      .executeTakeFirstOrThrow()
    const entry = await readEntry(db, claimed)
    if (entry.item.status === 'publishing') return entry
    return { ...entry, item: await changeItem(db, entry.item, 'publish', 'publishing', now) }
  })
}

/** First what somebody left behind, then what is in doubt, then what is due; the oldest of each. */
async function nextRow(db: Database, network: NetworkName, now: number): Promise<OutboxRow | undefined> {
  const state = await db.selectFrom('network_states').selectAll().where('network', '=', network).executeTakeFirst()
  if (isHeldBack(state?.paused_until, now)) return undefined
  const rows = db
    .selectFrom('outbox')
    .selectAll()
    .where('network', '=', network)
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
  // Posts of one account follow each other: while one is on its way, no other starts.
  const taken = await rows.where('status', '=', 'publishing').executeTakeFirst()
  if (taken !== undefined) return isHeld(taken, now) ? undefined : taken
  const doubtful = await rows.where('status', '=', 'unknown').where('next_try_at', '<=', now).executeTakeFirst()
  if (doubtful !== undefined) return doubtful
  if (isHeldBack(state?.next_post_at, now)) return undefined
  return rows.where('status', '=', 'queued').where('next_try_at', '<=', now).executeTakeFirst()
}

/** A lease that ends later than clocks may be apart was taken by a clock that was wrong: nobody holds it. */
function isHeld({ lease_until }: OutboxRow, now: number): boolean {
  return lease_until !== null && lease_until > now && lease_until <= now + publishLeaseMsMax
}

/** Nothing waits longer than a day for the next post: such a time is that of a clock that was wrong. */
function isHeldBack(until: number | null | undefined, now: number): boolean {
  return until != null && until > now && until <= now + dayMs
}

/** Throws a LeaseLost unless the row is still ours; then it is for another while. */
export async function renewLease(db: Database, { id, fence }: OutboxRow, now: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ lease_until: now + publishLeaseMs })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('status', '=', 'publishing')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new LeaseLost(id)
}

/** Another process has the row, since this one was too slow: it must write nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor(id: number) {
    super(`outbox row ${id} was taken over`)
  }
}

/** UTC ms at which there is something to do for that network, as far as is known now; undefined: nothing waits. */
export async function nextWork(db: Database, network: NetworkName, now: number): Promise<number | undefined> {
  const rows = await db
    .selectFrom('outbox')
    .select(({ fn }) => ['status', fn.min('next_try_at').as('try_at'), fn.min('lease_until').as('lease')])
    .where('network', '=', network)
    .where('status', 'in', ['queued', 'publishing', 'unknown'])
    .groupBy('status')
    .execute()
  if (rows.length === 0) return undefined
  const state = await db.selectFrom('network_states').selectAll().where('network', '=', network).executeTakeFirst()
  const free = Math.max(state?.paused_until ?? 0, now)
  const times = rows.map(({ status, try_at, lease }) => {
    if (status === 'publishing') return lease ?? now
    return Math.max(try_at, free, status === 'queued' ? (state?.next_post_at ?? 0) : 0)
  })
  return Math.min(...times)
}
