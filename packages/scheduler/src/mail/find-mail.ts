import type { Database } from '../records/schema.js'

/** The mail of a message (its own, else its digest), of a trigger, or of an id that is the mail's. */
export async function findMail(db: Database, id: string) {
  const mailId = (await mailOfMessage(db, id)) ?? (await mailOfTrigger(db, id)) ?? id
  return db
    .selectFrom('outbox')
    .leftJoin('triggers', 'triggers.outbox_id', 'outbox.id')
    .select(['outbox.id', 'outbox.state', 'outbox.subject', 'triggers.expires_at'])
    .where((outbox) => outbox.or([outbox('outbox.id', '=', mailId), outbox('outbox.message_id', '=', mailId)]))
    .executeTakeFirst()
}

async function mailOfMessage(db: Database, id: string): Promise<string | null> {
  const message = await db
    .selectFrom('messages')
    .select(['outbox_id', 'digest_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  return message?.outbox_id ?? message?.digest_id ?? null
}

async function mailOfTrigger(db: Database, id: string): Promise<string | null> {
  const trigger = await db.selectFrom('triggers').select('outbox_id').where('id', '=', id).executeTakeFirst()
  return trigger?.outbox_id ?? null
}
