import type { NetworkName } from '../../src/config.js'
import type { ActionType, Database, OutboxStatus } from '../../src/records/schema.js'

interface PostedItem {
  readonly action?: ActionType
  readonly network?: NetworkName
  readonly topic?: string
  readonly archetype?: string
  /** Ids on the network, one for each part. */
  readonly remoteIds: readonly string[]
  /** UTC ms. */
  readonly sentAt: number
  readonly followers?: number | null
  readonly status?: OutboxStatus
}

/** An item that went out, as the publisher leaves it; the id of its outbox row. */
export async function insertPosted(db: Database, item: PostedItem): Promise<number> {
  const { action = 'tweet', network = 'bluesky', topic = null, archetype = null, remoteIds, sentAt } = item
  const { followers = 1_000, status = 'posted' } = item
  const { id: approvalId } = await db
    .insertInto('approval_queue')
    .values({
      network,
      account: 'me.example',
      action_type: action,
      parts: JSON.stringify(remoteIds),
      media: '[]',
      topic,
      archetype,
      risks: '[]',
      origin: 'agent',
      status: status === 'queued' ? 'approved' : status,
      rev: 1,
      content_hash: 'hash',
      owner: 'agent:ada',
      idempotency_key: remoteIds.join(),
      arguments_hash: 'hash',
      created_at: sentAt,
      updated_at: sentAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id } = await db
    .insertInto('outbox')
    .values({
      approval_id: approvalId,
      network,
      status,
      due_at: sentAt,
      fence: 1,
      attempts: 1,
      next_try_at: sentAt,
      followers_at_post: followers,
      created_at: sentAt,
      finished_at: sentAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const [position, remoteId] of remoteIds.entries()) {
    await db
      .insertInto('outbox_parts')
      .values({
        outbox_id: id,
        position,
        publish_key: `key-${remoteId}`,
        created_at_fixed: sentAt,
        status: 'verified',
        remote_id: remoteId,
        sent_at: sentAt,
      })
      .execute()
  }
  return id
}
