import { storable } from '@callboard/store'
import { recordAction } from '../activity/record-action.js'
import { changeItem } from '../approval/change-item.js'
import { logTypeOf } from '../approval/log-type.js'
import type { Item } from '../approval/proposals.js'
import { countTargetReply } from '../discovery/target-accounts.js'
import type { ErrorCode } from '../envelope/error-codes.js'
import type { Foundation } from '../foundation.js'
import { settle } from '../ledger/rate-ledger.js'
import {
  absenceMs,
  publishRetryAfterMsMax,
  publishRetryMs,
  publishRetryMsMax,
  publishTriesMax,
  refusedPauseMs,
} from '../limits.js'
import type { Sent } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'
import { renewLease } from './outbox-claims.js'
import { isOut, mayBeOut, never, type OutboxEntry, partsOf } from './outbox-row.js'

/** What happened to a part, in words for the people who read the log. */
export interface Trouble {
  readonly code: ErrorCode
  readonly message: string
  readonly retryAfterMs?: number
}

interface Writing {
  readonly db: Database
  readonly foundation: Foundation
  /** A random time that the next post of the account has to wait for, in ms. */
  readonly pauseMs: number
  /** Of the account now; undefined where it can not be learned. */
  readonly followers: number | undefined
  readonly markReplied: (db: Database, network: Item['network'], remoteId: string) => Promise<void>
}

/** From here on the part may be out, whatever becomes of this process. */
export async function markSending(db: Database, { row }: OutboxEntry, position: number, now: number): Promise<void> {
  await renewLease(db, row, now)
  await db
    .updateTable('outbox_parts')
    .set({ status: 'sending', sent_at: now })
    .where('outbox_id', '=', row.id)
    .where('position', '=', position)
    .execute()
}

/** The part is out; with the last one the item is. */
export async function recordSent(entry: OutboxEntry, position: number, sent: Sent, writing: Writing): Promise<void> {
  const { row } = entry
  const { db, foundation } = writing
  const now = foundation.clock.now()
  await renewLease(db, row, now)
  await db
    .updateTable('outbox_parts')
    .set({ status: 'sent', remote_id: sent.ref.id, cid: sent.ref.cid ?? null, url: sent.url })
    .where('outbox_id', '=', row.id)
    .where('position', '=', position)
    .execute()
  if ((await partsOf(db, row.id)).every(isOut)) await recordPosted(entry, writing)
}

async function recordPosted({ row, item }: OutboxEntry, writing: Writing): Promise<void> {
  const { db, foundation, pauseMs, followers, markReplied } = writing
  const now = foundation.clock.now()
  await db
    .updateTable('outbox')
    .set({
      status: 'posted',
      lease_owner: null,
      lease_until: null,
      attempts: 0,
      next_try_at: now,
      last_code: null,
      last_error: null,
      followers_at_post: followers ?? null,
      finished_at: now,
    })
    .where('id', '=', row.id)
    .execute()
  await changeItem(db, item, 'post', 'posted', now)
  await settle(db, row.id, 'used', now)
  await keepDistance(db, item.network, now + pauseMs)
  if (item.target_post_id !== null) await markReplied(db, item.network, item.target_post_id)
  if (item.target_author_id !== null) {
    await countTargetReply(db, { network: item.network, authorId: item.target_author_id, at: now })
  }
  await recordAction(db, {
    at: now,
    type: `${await logTypeOf(db, item)}_posted`,
    status: 'success',
    message: `Item ${item.id} was posted on ${item.network}.`,
    metadata: { item_id: item.id, outbox_id: row.id, network: item.network },
    principal: item.owner,
  })
}

/** It was not sent: again later, or never. */
export async function recordDelay(
  entry: OutboxEntry,
  position: number,
  trouble: Trouble,
  writing: Writing,
): Promise<void> {
  const { row, item } = entry
  const { db, foundation } = writing
  const now = foundation.clock.now()
  const isRefused = trouble.code === 'network_auth_expired'
  // Neither our credentials nor the money of the day are the fault of this post.
  const isCounted = !isRefused && trouble.code !== 'policy_denied_rate_limited'
  if (isCounted && row.attempts >= publishTriesMax) return recordFailure(entry, trouble, writing)
  const waitMs = isRefused ? refusedPauseMs : backOff(row.attempts, trouble.retryAfterMs, foundation.random)
  await renewLease(db, row, now)
  await db
    .updateTable('outbox_parts')
    .set({ status: 'queued', sent_at: null })
    .where('outbox_id', '=', row.id)
    .where('position', '=', position)
    .execute()
  await db
    .updateTable('outbox')
    .set({
      status: 'queued',
      lease_owner: null,
      lease_until: null,
      attempts: isCounted ? row.attempts : row.attempts - 1,
      next_try_at: now + waitMs,
      ...said(trouble),
    })
    .where('id', '=', row.id)
    .execute()
  await changeItem(db, item, 'delay', 'approved', now)
  if (isRefused) await pauseNetwork(db, item.network, now + waitMs, trouble.message)
}

/** Sent, and no answer: it is looked for before anything is sent again. */
export async function recordDoubt(entry: OutboxEntry, message: string, writing: Writing): Promise<void> {
  const { row, item } = entry
  const { db, foundation } = writing
  const now = foundation.clock.now()
  // What has just been sent for the first time is looked for at least once.
  const isLast = row.attempts >= publishTriesMax && entry.parts.some(mayBeOut)
  await renewLease(db, row, now)
  await db
    .updateTable('outbox')
    .set({
      status: 'unknown',
      lease_owner: null,
      lease_until: null,
      next_try_at: isLast ? never : now + Math.max(absenceMs, backOff(row.attempts, undefined, foundation.random)),
      ...said({ code: 'publish_unknown', message }),
    })
    .where('id', '=', row.id)
    .execute()
  await changeItem(db, item, 'doubt', 'unknown', now)
  if (!isLast) return
  await recordAction(db, {
    at: now,
    type: await logTypeOf(db, item),
    status: 'alert',
    message: `Nobody can tell whether item ${item.id} is on ${item.network}: look there, then use resolve_item. ${message}`,
    metadata: { item_id: item.id, outbox_id: row.id, network: item.network, code: 'publish_unknown' },
    principal: item.owner,
  })
}

/** It will not be published, unless somebody tries again. What is out of a thread stays out, and has used its place. */
export async function recordFailure(entry: OutboxEntry, trouble: Trouble, writing: Writing): Promise<void> {
  const { row, item } = entry
  const { db, foundation } = writing
  const now = foundation.clock.now()
  await renewLease(db, row, now)
  const parts = await partsOf(db, row.id)
  const out = parts.filter(isOut).length
  const reason: Trouble =
    out === 0
      ? trouble
      : { code: 'thread_partial_failure', message: `${out} of ${parts.length} parts are out. ${trouble.message}` }
  await db
    .updateTable('outbox_parts')
    .set({ status: 'queued', sent_at: null })
    .where('outbox_id', '=', row.id)
    .where('status', '=', 'sending')
    .execute()
  await db
    .updateTable('outbox')
    .set({ status: 'failed', lease_owner: null, lease_until: null, finished_at: now, ...said(reason) })
    .where('id', '=', row.id)
    .execute()
  await changeItem(db, item, 'fail', 'failed', now)
  await settle(db, row.id, out === 0 ? 'refunded' : 'used', now)
  await recordAction(db, {
    at: now,
    type: await logTypeOf(db, item),
    status: 'failure',
    message: `Item ${item.id} was not posted on ${item.network}: ${reason.message}`,
    metadata: { item_id: item.id, outbox_id: row.id, network: item.network, code: reason.code },
    principal: item.owner,
  })
}

/** Doubles from half a minute to a quarter of an hour, give or take a fifth; never sooner than the network said. */
function backOff(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  const steady = Math.min(publishRetryMs * 2 ** (attempt - 1), publishRetryMsMax)
  return Math.ceil(Math.max(steady * (0.8 + 0.4 * random()), Math.min(retryAfterMs ?? 0, publishRetryAfterMsMax)))
}

const said = ({ code, message }: Trouble) => ({ last_code: code, last_error: storable(message, 1_000) })

async function keepDistance(db: Database, network: Item['network'], until: number): Promise<void> {
  await db
    .insertInto('network_states')
    .values({ network, next_post_at: until })
    .onConflict((same) => same.column('network').doUpdateSet({ next_post_at: until }))
    .execute()
}

async function pauseNetwork(db: Database, network: Item['network'], until: number, reason: string): Promise<void> {
  const pause = { paused_until: until, pause_reason: storable(reason, 1_000) }
  await db
    .insertInto('network_states')
    .values({ network, next_post_at: 0, ...pause })
    .onConflict((same) => same.column('network').doUpdateSet(pause))
    .execute()
}
