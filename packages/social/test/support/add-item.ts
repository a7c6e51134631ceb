import type { NetworkName } from '../../src/config.js'
import type { ReplyTarget } from '../../src/policy/safety-checks.js'
import type { Row } from '../../src/records/row.js'
import type { Database, ItemStatus, OutboxStatus, PartStatus } from '../../src/records/schema.js'

type Item = Row<'approval_queue'>

/** An item as the approval queue would have left it, and its outbox row where it has one. */
export interface GivenItem extends Partial<Omit<Item, 'id' | 'parts' | 'target'>> {
  readonly text?: string
  readonly parts?: readonly string[]
  readonly target?: ReplyTarget
  /** Default: by the status. */
  readonly outbox?: Partial<Row<'outbox'>> | false
  /** When its parts were sent; UTC ms. Default, for what is posted: when it was created. */
  readonly sentAt?: number
  /** How many of its parts were; default all of them. */
  readonly sentParts?: number
}

const outboxStatuses: { readonly [status in ItemStatus]?: OutboxStatus } = {
  approved: 'queued',
  scheduled: 'queued',
  publishing: 'publishing',
  posted: 'posted',
  failed: 'failed',
  unknown: 'unknown',
}

let items = 0

/** Its id, and that of its outbox row (0 where there is none). */
export async function addItem(
  db: Database,
  at: number,
  given: GivenItem = {},
): Promise<{ id: number; outboxId: number }> {
  const { text = `text ${++items}`, parts = [text], target, outbox, sentAt, sentParts, ...row } = given
  const status = row.status ?? 'pending'
  const network: NetworkName = row.network ?? 'local'
  const { id } = await db
    .insertInto('approval_queue')
    .values({
      network,
      account: 'you',
      action_type: target === undefined ? 'tweet' : 'reply',
      parts: JSON.stringify(parts),
      media: '[]',
      target: target === undefined ? null : JSON.stringify(target),
      target_post_id: target?.id ?? null,
      target_author: target?.author ?? null,
      target_author_id: target?.authorId ?? null,
      risks: '[]',
      origin: 'agent',
      status,
      rev: 1,
      content_hash: 'hash',
      owner: 'agent:ada',
      idempotency_key: `key ${++items}`,
      arguments_hash: 'hash',
      created_at: at,
      updated_at: at,
      ...row,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const outboxStatus = outboxStatuses[status]
  if (outbox === false || outboxStatus === undefined) return { id, outboxId: 0 }
  const due = row.scheduled_for ?? at
  const { id: outboxId } = await db
    .insertInto('outbox')
    .values({
      approval_id: id,
      network,
      status: outboxStatus,
      due_at: due,
      fence: 0,
      attempts: 0,
      next_try_at: due,
      created_at: at,
      finished_at: outboxStatus === 'posted' || outboxStatus === 'failed' ? (sentAt ?? at) : null,
      ...outbox,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const sent = sentParts ?? (outboxStatus === 'posted' ? parts.length : 0)
  for (const position of parts.keys()) {
    const isSent = position < sent
    const partStatus: PartStatus = isSent ? 'verified' : 'queued'
    await db
      .insertInto('outbox_parts')
      .values({
        outbox_id: outboxId,
        position,
        publish_key: `key ${id}/${position}`,
        created_at_fixed: at,
        status: partStatus,
        ...(isSent && { remote_id: `remote-${id}-${position}`, sent_at: sentAt ?? at, url: `local:${id}-${position}` }),
      })
      .execute()
  }
  return { id, outboxId }
}
