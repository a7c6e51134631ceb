import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'

/** How far a mailbox has been read. UIDs grow, and mean something under one UIDVALIDITY only. */
export interface MailCursor {
  readonly uidValidity: number
  readonly lastUid: number
}

/** `mailbox` names the account, too: another account's numbers mean nothing here. */
export async function readCursor(db: Database, mailbox: string): Promise<MailCursor | undefined> {
  const row = await db
    .selectFrom('mail_cursor')
    .select(['uidvalidity', 'last_uid'])
    .where('mailbox', '=', mailbox)
    .executeTakeFirst()
  return row && { uidValidity: row.uidvalidity, lastUid: row.last_uid }
}

/** What lies in the mailbox already is history. Another process may have been first. */
export async function beginCursor(db: Database, mailbox: string, cursor: MailCursor, now: number): Promise<void> {
  await db
    .insertInto('mail_cursor')
    .values({ mailbox, uidvalidity: cursor.uidValidity, last_uid: cursor.lastUid })
    .onConflict((same) => same.column('mailbox').doNothing())
    .execute()
  await db
    .insertInto('kv')
    .values({ key: startKey(mailbox), value: String(now) })
    .onConflict((same) => same.column('key').doNothing())
    .execute()
}

/** UTC ms before which mail is history, however it is numbered. */
export async function readingSince(db: Database, mailbox: string): Promise<number> {
  const row = await db.selectFrom('kv').select('value').where('key', '=', startKey(mailbox)).executeTakeFirst()
  return Number(row?.value ?? 0)
}

/** In the transaction that stores the mail. Never goes back; no effect once the mailbox is numbered anew. */
export async function advanceCursor(
  db: Database,
  mailbox: string,
  { uidValidity, lastUid }: MailCursor,
): Promise<void> {
  await db
    .updateTable('mail_cursor')
    .set({ last_uid: lastUid })
    .where('mailbox', '=', mailbox)
    .where('uidvalidity', '=', uidValidity)
    .where('last_uid', '<', lastUid)
    .execute()
}

/** After the mailbox was read again: of several processes one says so. */
export async function renewCursor(
  db: Database,
  mailbox: string,
  before: MailCursor,
  after: MailCursor,
  now: number,
): Promise<void> {
  const renewed = await db
    .updateTable('mail_cursor')
    .set({ uidvalidity: after.uidValidity, last_uid: after.lastUid })
    .where('mailbox', '=', mailbox)
    .where('uidvalidity', '=', before.uidValidity)
    .executeTakeFirst()
  if (Number(renewed.numUpdatedRows) === 0) return
  await recordActivity(db, {
    at: now,
    type: 'mail_uidvalidity_changed',
    summary: `The mail server has numbered ${mailbox} anew: the last days were read again`,
    details: { mailbox, before: before.uidValidity, after: after.uidValidity },
  })
}

function startKey(mailbox: string): string {
  return `mail_since:${mailbox}`
}
