import { z } from 'zod'
import { isExpired } from '../approval/change-item.js'
import { contentOf } from '../approval/item-content.js'
import type { Item } from '../approval/proposals.js'
import { networkNames } from '../config.js'
import { pageBytesMax, revisionsShownMax } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import { type OutboxPart, type OutboxRow, partsOf } from '../publishing/outbox-row.js'
import type { Row } from '../records/row.js'
import type { Database } from '../records/schema.js'
import { measure } from '../text/measure.js'
import { utcText } from '../utc-text.js'
import { withinBytes } from './page-cursor.js'

const time = z.string()
const maybeTime = time.nullable()
export const actionTypes = ['reply', 'tweet', 'thread'] as const
export const itemStatuses = [
  'pending',
  'approved',
  'scheduled',
  'publishing',
  'posted',
  'failed',
  'unknown',
  'rejected',
  'withdrawn',
  'expired',
] as const

export const outboxView = z.strictObject({
  id: z.int(),
  item_id: z.int(),
  network: z.enum(networkNames),
  status: z.enum(['queued', 'publishing', 'posted', 'failed', 'unknown']),
  due_at: time,
  attempts: z.int(),
  next_try_at: maybeTime,
  last_code: z.string().nullable(),
  last_error: z.string().nullable(),
  verified_at: maybeTime,
  parts: z.array(
    z.strictObject({
      position: z.int(),
      status: z.enum(['queued', 'sending', 'sent', 'verified']),
      remote_id: z.string().nullable(),
      url: z.string().nullable(),
      verified_at: maybeTime,
    }),
  ),
})

export const itemView = z.strictObject({
  id: z.int(),
  status: z.enum(itemStatuses),
  rev: z.int(),
  content_hash: z.string(),
  network: z.enum(networkNames),
  account: z.string(),
  action_type: z.enum(actionTypes),
  visibility: z.string().nullable().describe('Who will see it, where its network knows several kinds'),
  parts: z.array(z.string()),
  part_lengths: z.array(z.strictObject({ count: z.int(), limit: z.int(), unit: z.string() })),
  media: z.array(
    z.strictObject({ part: z.int(), mime: z.string(), bytes: z.int(), alt: z.string(), sha256: z.string() }),
  ),
  reply_to: z
    .strictObject({ id: z.string(), url: z.string(), author: z.string(), text: z.string() })
    .nullable()
    .describe('What it answers; the text is a stranger’s'),
  topic: z.string().nullable(),
  archetype: z.string().nullable(),
  score: z.number().nullable(),
  risks: z.array(z.string()),
  origin: z.enum(['agent', 'autopilot']),
  owner: z.string(),
  generated_by: z.enum(['llm', 'template']).nullable(),
  scheduled_for: maybeTime,
  expires_at: maybeTime,
  cost_estimate: z.number().nullable(),
  created_at: time,
  updated_at: time,
  reviewed_by: z.string().nullable(),
  reviewed_at: maybeTime,
  reason: z.string().nullable(),
  revisions: z.array(
    z.strictObject({
      rev: z.int(),
      parts: z.array(z.string()),
      content_hash: z.string(),
      principal: z.string(),
      at: time,
    }),
  ),
  outbox: outboxView.nullable(),
})

const textOf = (at: number | null) => (at === null ? null : utcText(at))

/** All there is to know of an item, for its owner and for those who decide. */
export async function viewItem(
  db: Database,
  item: Item,
  now: number,
  network: NetworkAdapter | undefined,
): Promise<z.output<typeof itemView>> {
  const { parts, media, target, risks } = contentOf(item)
  const revisions = await db
    .selectFrom('approval_revisions')
    .selectAll()
    .where('approval_id', '=', item.id)
    .orderBy('rev', 'desc')
    .limit(revisionsShownMax)
    .execute()
  const row = await db.selectFrom('outbox').selectAll().where('approval_id', '=', item.id).executeTakeFirst()
  return {
    id: item.id,
    status: statusOf(item, now),
    rev: item.rev,
    content_hash: item.content_hash,
    network: item.network,
    account: item.account,
    action_type: item.action_type,
    visibility: item.visibility,
    parts: [...parts],
    part_lengths: network === undefined ? [] : parts.map((part) => lengthOf(part, network)),
    media: media.map(({ part, mime, bytes, alt, sha256 }) => ({ part, mime, bytes, alt, sha256 })),
    reply_to:
      target === undefined ? null : { id: target.id, url: target.url, author: target.author, text: target.text },
    topic: item.topic,
    archetype: item.archetype,
    score: item.score,
    risks: [...risks],
    origin: item.origin,
    owner: item.owner,
    generated_by: item.generated_by,
    scheduled_for: textOf(item.scheduled_for),
    expires_at: textOf(item.expires_at),
    cost_estimate: item.cost_estimate,
    created_at: utcText(item.created_at),
    updated_at: utcText(item.updated_at),
    reviewed_by: item.reviewed_by,
    reviewed_at: textOf(item.reviewed_at),
    reason: item.reason,
    revisions: withinBytes(revisions.map(viewRevision), pageBytesMax / 2, 0).reverse(),
    outbox: row === undefined ? null : viewOutbox(row, await partsOf(db, row.id)),
  }
}

/** Expired is expired, also before the sweeper has come by. */
export function statusOf(item: Item, now: number): Item['status'] {
  return isExpired(item, now) ? 'expired' : item.status
}

function lengthOf(part: string, network: NetworkAdapter) {
  const { count, limit, unit } = measure(part, network.lengthRule)
  return { count, limit, unit }
}

function viewRevision({ rev, parts, content_hash, principal, at }: Row<'approval_revisions'>) {
  return { rev, parts: JSON.parse(parts) as string[], content_hash, principal, at: utcText(at) }
}

export function viewOutbox(row: OutboxRow, parts: readonly OutboxPart[]): z.output<typeof outboxView> {
  const isOpen = row.status === 'queued' || row.status === 'unknown'
  return {
    id: row.id,
    item_id: row.approval_id,
    network: row.network,
    status: row.status,
    due_at: utcText(row.due_at),
    attempts: row.attempts,
    next_try_at: isOpen && row.next_try_at <= latestTime ? utcText(row.next_try_at) : null,
    last_code: row.last_code,
    last_error: row.last_error,
    verified_at: textOf(row.verified_at),
    parts: parts.map(({ position, status, remote_id, url, verified_at }) => ({
      position,
      status,
      remote_id,
      url,
      verified_at: textOf(verified_at),
    })),
  }
}

/** The year 9999: what lies behind means never. */
const latestTime = 253_402_300_799_999

export const pendingView = z.strictObject({
  id: z.int(),
  action_type: z.enum(actionTypes),
  target_tweet_id: z.string().nullable(),
  target_author: z.string().nullable(),
  generated_content: z.string().describe('The text; the parts of a thread with a line of --- between them'),
  topic: z.string().nullable(),
  archetype: z.string().nullable(),
  score: z.number().nullable(),
  status: z.literal('pending'),
  created_at: time,
  network: z.enum(networkNames),
  rev: z.int(),
  content_hash: z.string(),
  expires_at: maybeTime,
  scheduled_for: maybeTime,
  risks: z.array(z.string()),
  origin: z.enum(['agent', 'autopilot']),
  owner: z.string(),
})

export function viewPending(item: Item): z.output<typeof pendingView> {
  const { parts, risks } = contentOf(item)
  return {
    id: item.id,
    action_type: item.action_type,
    target_tweet_id: item.target_post_id,
    target_author: item.target_author,
    generated_content: parts.join('\n---\n'),
    topic: item.topic,
    archetype: item.archetype,
    score: item.score,
    status: 'pending',
    created_at: utcText(item.created_at),
    network: item.network,
    rev: item.rev,
    content_hash: item.content_hash,
    expires_at: textOf(item.expires_at),
    scheduled_for: textOf(item.scheduled_for),
    risks: [...risks],
    origin: item.origin,
    owner: item.owner,
  }
}
