import { type EventType, recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import type { OutboxRow } from './outbox-row.js'

/** What follows from the server's 250: all of it in the transaction that notes it. */
export async function markSent(db: Database, row: OutboxRow, now: number): Promise<void> {
  const about = await aboutOf(db, row)
  await db.updateTable('messages').set({ state: 'sent' }).where('outbox_id', '=', row.id).execute()
  await db.updateTable('messages').set({ state: 'sent' }).where('digest_id', '=', row.id).execute()
  await recordActivity(db, {
    at: now,
    type: sentEvents[row.kind],
    ...about,
    summary: `Sent: ${row.subject}`,
    details: { ...about.details, tries: row.tries },
  })
}

/** Given up. Nothing is lost: a digest keeps its messages until it is sent after all. */
export async function markDead(db: Database, row: OutboxRow, error: string, now: number): Promise<void> {
  const about = await aboutOf(db, row)
  await db.updateTable('messages').set({ state: 'dead' }).where('outbox_id', '=', row.id).execute()
  await recordActivity(db, {
    at: now,
    type: row.kind === 'digest' ? 'digest_failed' : 'email_failed',
    ...about,
    summary: `Given up: ${row.subject}`,
    details: { ...about.details, tries: row.tries, error, remedy: 'requeue_message' },
  })
}

/** Queued once more. */
export async function markRevived(db: Database, id: string): Promise<void> {
  await db
    .updateTable('messages')
    .set({ state: 'queued' })
    .where('outbox_id', '=', id)
    .where('state', '=', 'dead')
    .execute()
}

const sentEvents: { readonly [Kind in OutboxRow['kind']]: EventType } = {
  trigger: 'trigger_email_sent',
  digest: 'digest_sent',
  notify: 'email_sent',
  notice: 'email_sent',
}

interface About {
  readonly group?: string
  readonly runId?: string
  readonly details: { readonly [key: string]: unknown }
}

/** Whose mail it is. */
async function aboutOf(db: Database, row: OutboxRow): Promise<About> {
  const details = { outbox_id: row.id, to: row.recipient }
  if (row.kind === 'trigger') return aboutTrigger(db, row.id, details)
  const message = await db
    .selectFrom('messages')
    .select(['id', 'group_folder', 'run_id'])
    .where('outbox_id', '=', row.id)
    .executeTakeFirst()
  if (message === undefined) return { details }
  return {
    group: message.group_folder,
    ...(message.run_id !== null && { runId: message.run_id }),
    details: { ...details, message_id: message.id },
  }
}

async function aboutTrigger(db: Database, outboxId: string, details: About['details']): Promise<About> {
  const trigger = await db
    .selectFrom('triggers')
    .select(['id', 'source', 'target', 'depth'])
    .where('outbox_id', '=', outboxId)
    .executeTakeFirst()
  if (trigger === undefined) return { details }
  const { id, source, target, depth } = trigger
  return { group: source, details: { ...details, trigger_id: id, target_group: target, depth } }
}
