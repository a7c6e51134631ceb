import { mailLeaseMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import type { OutboxRow } from './outbox-row.js'

/** The oldest mail that is due, now this process's to send. Inside a transaction. */
export async function claimDue(db: Database, now: number): Promise<OutboxRow | undefined> {
  const id = (await dueId(db, now)) ?? (await abandonedId(db, now))
  return id === undefined ? undefined : take(db, id, now)
}

/** This mail, due or not, unless somebody is sending it or it is over. Inside a transaction. */
export async function claimOne(db: Database, id: string, now: number): Promise<OutboxRow | undefined> {
  const row = await db.selectFrom('outbox').select(['state', 'lease_until']).where('id', '=', id).executeTakeFirst()
  const free = row?.state === 'pending' || (row?.state === 'sending' && (row.lease_until ?? 0) <= now)
  return free ? take(db, id, now) : undefined
}

/** When there may be something to claim next, UTC ms. */
export async function nextClaimAt(db: Database): Promise<number | undefined> {
  const pending = await db
    .selectFrom('outbox')
    .select((outbox) => outbox.fn.min('next_try').as('at'))
    .where('state', '=', 'pending')
    .executeTakeFirst()
  const sending = await db
    .selectFrom('outbox')
    .select((outbox) => outbox.fn.min('lease_until').as('at'))
    .where('state', '=', 'sending')
    .executeTakeFirst()
  const times = [pending?.at, sending?.at].filter((at) => at !== null && at !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

async function dueId(db: Database, now: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('state', '=', 'pending')
    .where('next_try', '<=', now)
    .orderBy('next_try')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Its process has ended, or is as good as gone. It may have been sent: its Message-ID tells the second one for the same. */
async function abandonedId(db: Database, now: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('state', '=', 'sending')
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

function take(db: Database, id: string, now: number): Promise<OutboxRow> {
  return db
    .updateTable('outbox')
    .set((row) => ({
      state: 'sending' as const,
      tries: row('tries', '+', 1),
      fence: row('fence', '+', 1),
      lease_until: now + mailLeaseMs,
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
