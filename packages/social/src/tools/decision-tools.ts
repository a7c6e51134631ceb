import { z } from 'zod'
import { recordAction } from '../activity/record-action.js'
import { type Approved, approveItem, takePlace } from '../approval/approve-item.js'
import { changedMeanwhile, changeItem, requireTransition } from '../approval/change-item.js'
import { findItem, requireSeen, type Seen } from '../approval/find-item.js'
import { logTypeOf } from '../approval/log-type.js'
import type { Item } from '../approval/proposals.js'
import { SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { settle } from '../ledger/rate-ledger.js'
import { approvalBatchMax, reasonMax } from '../limits.js'
import type { Networks } from '../networks/networks.js'
import { isOut, never, partsOf } from '../publishing/outbox-row.js'
import type { Database } from '../records/schema.js'
import type { Actor } from './actor.js'
import { itemStatuses } from './item-view.js'
import { backendOf } from './network-input.js'
import { itemIdInput } from './queue-tools.js'
import { answering, changing, type SocialTool, type ToolMarks } from './social-tool.js'

export interface DecisionParts extends Foundation {
  readonly networks: Networks
  readonly wakePublisher: () => void
}

/** What people decide, and nobody else: for agents these tools do not exist. */
export function decisionTools(parts: DecisionParts): readonly SocialTool[] {
  return [
    approveItemTool(parts),
    rejectItemTool(parts),
    approveAllTool(parts),
    retryItemTool(parts),
    resolveItemTool(parts),
    unscheduleItemTool(parts),
  ]
}

const decides: ToolMarks = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }
const seen = {
  rev: z.int().min(1).optional().describe('The revision that was seen; another one is a conflict'),
  content_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the 64 hexadecimal digits that get_item gives')
    .optional()
    .describe('The content that was seen; another one is a conflict'),
}
const approvedView = z.strictObject({ status: z.literal('approved'), id: z.int(), outbox_id: z.int() })
const stateView = z.strictObject({ status: z.enum(itemStatuses), id: z.int(), rev: z.int() })

function approveItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'approve_item',
    title: 'Approve an item',
    description: 'Lets a pending post go out, as it was seen. Give rev and content_hash of what was shown.',
    input: z.object({ id: itemIdInput, ...seen }),
    data: approvedView,
    marks: { ...decides, openWorldHint: true },
    access: 'operator',
    async change({ id, ...what }, actor, db, _, { correlationId }) {
      const { item, outboxId } = await approveSeen(db, id, what, actor, parts, correlationId)
      return { data: { status: 'approved' as const, id, outbox_id: outboxId }, meta: backendOf(item.network) }
    },
    afterwards: parts.wakePublisher,
  })
}

async function approveSeen(
  db: Database,
  id: number,
  what: Seen,
  actor: Actor,
  parts: DecisionParts,
  correlationId?: string,
): Promise<Approved> {
  const item = await findItem(db, id, actor)
  const before = await approvedBefore(db, item, what, actor)
  if (before !== undefined) return before
  requireTransition(item, 'approve', parts.clock.now())
  requireSeen(item, what)
  return approveItem(db, item, { by: actor.principal, ...(correlationId !== undefined && { correlationId }) }, parts)
}

/** The same decision of the same person, once more, while nothing has come of it yet: it has the first answer. */
async function approvedBefore(db: Database, item: Item, what: Seen, actor: Actor): Promise<Approved | undefined> {
  const isSame =
    (item.status === 'approved' || item.status === 'scheduled') &&
    item.reviewed_by === actor.principal &&
    (what.rev === undefined || what.rev === item.reviewed_rev) &&
    (what.content_hash === undefined || what.content_hash === item.content_hash)
  if (!isSame) return undefined
  const row = await db.selectFrom('outbox').select('id').where('approval_id', '=', item.id).executeTakeFirst()
  return row === undefined ? undefined : { item, outboxId: row.id }
}

function rejectItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'reject_item',
    title: 'Reject an item',
    description: 'A pending post will not go out; whoever proposed it can read why.',
    input: z.object({ id: itemIdInput, reason: z.string().trim().min(1).max(reasonMax).optional(), ...seen }),
    data: z.strictObject({ status: z.literal('rejected'), id: z.int() }),
    marks: decides,
    access: 'operator',
    async change({ id, reason = null, ...what }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findItem(db, id, actor)
      const data = { status: 'rejected' as const, id }
      const isRepeat = item.status === 'rejected' && item.reviewed_by === actor.principal && item.reason === reason
      if (isRepeat) return { data, meta: backendOf(item.network) }
      requireTransition(item, 'reject', now)
      requireSeen(item, what)
      await changeItem(db, item, 'reject', 'rejected', now, {
        reviewed_by: actor.principal,
        reviewed_at: now,
        reviewed_rev: item.rev,
        reason,
      })
      await note(db, item, actor, 'skipped', `Item ${id} was rejected by ${actor.principal}.`, now, correlationId)
      return { data, meta: backendOf(item.network) }
    },
  })
}

function approveAllTool(parts: DecisionParts): SocialTool {
  const { store, clock, config } = parts
  return answering({
    name: 'approve_all',
    title: 'Approve several items',
    description:
      'Approves the named items, or the oldest pending ones, each by itself: one that can not be approved leaves the others alone.',
    input: z.object({
      max: z.int().min(1).max(approvalBatchMax).default(config.approval.max_batch),
      items: z
        .array(z.strictObject({ id: itemIdInput, ...seen }))
        .min(1)
        .max(approvalBatchMax)
        .optional(),
    }),
    data: z.strictObject({
      approved: z.int(),
      errors: z.int(),
      total: z.int(),
      items: z.array(
        z.strictObject({ id: z.int(), outcome: z.enum(['approved', 'error']), code: z.string().exactOptional() }),
      ),
    }),
    marks: { ...decides, idempotentHint: false, openWorldHint: true },
    access: 'operator',
    async answer({ max, items }, actor) {
      const chosen = (items ?? (await oldestPending())).slice(0, max)
      const outcomes: { id: number; outcome: 'approved' | 'error'; code?: string }[] = []
      for (const { id, ...what } of chosen) outcomes.push(await approveOne(id, what, actor))
      parts.wakePublisher()
      const approved = outcomes.filter(({ outcome }) => outcome === 'approved').length
      return { data: { approved, errors: outcomes.length - approved, total: outcomes.length, items: outcomes } }
    },
  })

  async function oldestPending(): Promise<readonly ({ readonly id: number } & Seen)[]> {
    return store.db
      .selectFrom('approval_queue')
      .select(['id', 'rev', 'content_hash'])
      .where('status', '=', 'pending')
      .where('expires_at', '>', clock.now())
      .orderBy('id')
      .limit(approvalBatchMax)
      .execute()
  }

  async function approveOne(id: number, what: Seen, actor: Actor) {
    try {
      await store.transaction((db) => approveSeen(db, id, what, actor, parts))
      return { id, outcome: 'approved' as const }
    } catch (error) {
      if (!(error instanceof SocialFailure)) throw error
      return { id, outcome: 'error' as const, code: error.code }
    }
  }
}

function retryItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'retry_item',
    title: 'Try an item again',
    description: 'A failed post goes out again, under the same keys: what is out of it already is not sent twice.',
    input: z.object({ id: itemIdInput }),
    data: stateView,
    marks: { ...decides, idempotentHint: false, openWorldHint: true },
    access: 'operator',
    async change({ id }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findItem(db, id, actor)
      const { rev } = await changeItem(db, item, 'retry', 'approved', now)
      const row = await db.selectFrom('outbox').select('id').where('approval_id', '=', id).executeTakeFirstOrThrow()
      // What is out of a thread has used its place.
      if (!(await partsOf(db, row.id)).some(isOut)) await takePlace(db, item, row.id, now, parts)
      const again = { status: 'queued', attempts: 0, due_at: now, next_try_at: now, finished_at: null } as const
      await db
        .updateTable('outbox')
        .set({ ...again, last_code: null, last_error: null })
        .where('id', '=', row.id)
        .execute()
      await note(db, item, actor, 'success', `Item ${id} is tried again, by ${actor.principal}.`, now, correlationId)
      return { data: { status: 'approved' as const, id, rev }, meta: backendOf(item.network) }
    },
    afterwards: parts.wakePublisher,
  })
}

function resolveItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'resolve_item',
    title: 'Settle an unknown item',
    description: 'Says of a post, of which nobody can tell whether it is out, what a person has seen on the network.',
    input: z.object({ id: itemIdInput, outcome: z.enum(['posted', 'failed']) }),
    data: stateView,
    marks: decides,
    access: 'operator',
    async change({ id, outcome }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findItem(db, id, actor)
      if (item.status !== 'unknown') throw changedMeanwhile(item)
      const row = await db.selectFrom('outbox').selectAll().where('approval_id', '=', id).executeTakeFirstOrThrow()
      // What comes behind the part in doubt was never sent, and can not be: nobody knows what it would follow on.
      const isRestLeft = outcome === 'posted' && (await partsOf(db, row.id)).some(({ status }) => status === 'queued')
      const became = isRestLeft ? 'failed' : outcome
      const { rev } = await changeItem(db, item, became === 'posted' ? 'post' : 'fail', became, now)
      await db
        .updateTable('outbox')
        .set({
          status: became,
          ...(isRestLeft && partlyOut),
          next_try_at: never,
          finished_at: now,
          fence: row.fence + 1,
        })
        .where('id', '=', row.id)
        .execute()
      await db
        .updateTable('outbox_parts')
        .set(outcome === 'posted' ? { status: 'sent' } : { status: 'queued', sent_at: null })
        .where('outbox_id', '=', row.id)
        .where('status', '=', 'sending')
        .execute()
      const isPartlyOut = (await partsOf(db, row.id)).some(isOut)
      await settle(db, row.id, isPartlyOut ? 'used' : 'refunded', now)
      if (outcome === 'posted' && item.target_post_id !== null) {
        await db
          .updateTable('discovered_posts')
          .set({ replied_to: 1 })
          .where('network', '=', item.network)
          .where('remote_id', '=', item.target_post_id)
          .execute()
      }
      const status = became === 'posted' ? 'success' : 'failure'
      await note(db, item, actor, status, `Item ${id} is ${became}, says ${actor.principal}.`, now, correlationId)
      return { data: { status: became, id, rev }, meta: backendOf(item.network) }
    },
  })
}

const partlyOut = {
  last_code: 'thread_partial_failure',
  last_error: 'The part in doubt is out; what comes behind it was never sent.',
} as const

function unscheduleItemTool(parts: DecisionParts): SocialTool {
  return changing({
    name: 'unschedule_item',
    title: 'Take an approval back',
    description: 'An approved post of which nothing was sent waits for a decision again.',
    input: z.object({ id: itemIdInput }),
    data: stateView,
    marks: { ...decides, destructiveHint: false },
    access: 'operator',
    async change({ id }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findItem(db, id, actor)
      requireTransition(item, 'unschedule', now)
      const row = await db.selectFrom('outbox').selectAll().where('approval_id', '=', id).executeTakeFirstOrThrow()
      const isStarted = (await partsOf(db, row.id)).some(({ status }) => status !== 'queued')
      if (row.status !== 'queued' || isStarted) throw changedMeanwhile(item)
      const { rev } = await changeItem(db, item, 'unschedule', 'pending', now, {
        expires_at: now + parts.config.approval.ttl_hours * 3_600_000,
        reviewed_by: null,
        reviewed_at: null,
        reviewed_rev: null,
      })
      await settle(db, row.id, 'refunded', now)
      await db.deleteFrom('outbox_parts').where('outbox_id', '=', row.id).execute()
      await db.deleteFrom('outbox').where('id', '=', row.id).execute()
      await note(db, item, actor, 'success', `Item ${id} waits again, by ${actor.principal}.`, now, correlationId)
      return { data: { status: 'pending' as const, id, rev }, meta: backendOf(item.network) }
    },
  })
}

async function note(
  db: Database,
  item: Item,
  { principal }: Actor,
  status: 'success' | 'failure' | 'skipped',
  message: string,
  at: number,
  correlationId: string,
): Promise<void> {
  const metadata = { item_id: item.id, network: item.network, rev: item.rev }
  await recordAction(db, { at, type: await logTypeOf(db, item), status, message, metadata, principal, correlationId })
}
