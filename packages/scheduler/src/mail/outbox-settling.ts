import { storable } from '@callboard/store'
import { mailErrorMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import type { SendResult } from './mail-transport.js'
import type { OutboxRow } from './outbox-row.js'
import { nextTryAfter } from './retry-schedule.js'

export type Settled = 'sent' | 'pending' | 'dead'

/** Writes what an attempt came to. Undefined: the mail was another's by then. Inside a transaction. */
export async function settle(
  db: Database,
  row: OutboxRow,
  result: SendResult,
  now: number,
): Promise<Settled | undefined> {
  const change = changeAfter(row, result, now)
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ ...change, lease_until: null })
    .where('id', '=', row.id)
    .where('state', '=', 'sending')
    .where('fence', '=', row.fence)
    .executeTakeFirst()
  return numUpdatedRows > 0n ? change.state : undefined
}

/** Gives back a mail whose attempt was cut short by this process itself: due at once, and not counted. */
export async function giveBack(db: Database, row: OutboxRow, now: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ state: 'pending', tries: row.tries - 1, next_try: now, lease_until: null })
    .where('id', '=', row.id)
    .where('state', '=', 'sending')
    .where('fence', '=', row.fence)
    .execute()
}

/** A dead mail starts anew, with its Message-ID. False: it is not dead. */
export async function revive(db: Database, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ state: 'pending', tries: 0, next_try: now, queued_at: now })
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function changeAfter(row: OutboxRow, result: SendResult, now: number) {
  if (result.kind === 'sent') return { state: 'sent', sent_at: now, last_error: null } as const
  const last_error = storable(result.error, mailErrorMax)
  const next_try = result.kind === 'deferred' ? nextTryAfter(row.tries, now, row.queued_at) : undefined
  return next_try === undefined
    ? ({ state: 'dead', last_error } as const)
    : ({ state: 'pending', next_try, last_error } as const)
}
