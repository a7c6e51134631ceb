import { z } from 'zod'
import { recordAction } from '../activity/record-action.js'
import { changeItem, requireTransition } from '../approval/change-item.js'
import { findItem, requireSeen } from '../approval/find-item.js'
import { candidateOf, contentOf, hashOf } from '../approval/item-content.js'
import { logTypeOf } from '../approval/log-type.js'
import { recordRevision, requireLength } from '../approval/proposal-desk.js'
import type { Item, Proposals } from '../approval/proposals.js'

import { failure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { mediaPerPartMax, partLengthMax, partsMax, postIdMax, postNameMax, postTextMax, postUrlMax } from '../limits.js'
import type { MediaStore, ReadMedium } from '../media/media-store.js'
import type { NetworkAdapter, NetworkPost } from '../networks/network-adapter.js'
import type { Networks } from '../networks/networks.js'
import { risksOf } from '../policy/risks.js'
import { type ReplyTarget, safetyProblem } from '../policy/safety-checks.js'
import { readEntry } from '../publishing/outbox-row.js'
import { readBack, recordReading } from '../publishing/read-back.js'
import type { Row } from '../records/row.js'
import { storable } from '../records/storable.js'
import { utcText } from '../utc-text.js'
import type { Actor } from './actor.js'
import { actionTypes, itemStatuses, itemView, statusOf, viewItem } from './item-view.js'
import { backendOf, networkInput } from './network-input.js'
import { itemIdInput } from './queue-tools.js'
import { changing, type SocialTool } from './social-tool.js'

export interface ProposalParts extends Foundation {
  readonly networks: Networks
  readonly proposals: Proposals
  readonly media: MediaStore
}

/** What agents may do with posts of their own; what they can not do is let one out. */
export function proposalTools(parts: ProposalParts): readonly SocialTool[] {
  return [proposePost(parts), editItem(parts), withdrawItem(parts), verifyPost(parts)]
}

const proposes = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }
const partsInput = z
  .array(z.string().min(1).max(partLengthMax))
  .min(1)
  .max(partsMax)
  .describe('One text; of a thread, one for each post')

const proposeInput = z.object({
  parts: partsInput.optional(),
  draft_id: z.int().min(1).optional().describe('In place of parts: a draft of compose_tweet'),
  kind: z.enum(actionTypes).optional().describe('Required with parts; a draft has its own'),
  network: networkInput,
  reply_to: z
    .string()
    .min(1)
    .max(2_048)
    .optional()
    .describe('URL or id of the post to answer; for a reply, and only there'),
  media: z
    .array(
      z.strictObject({
        path: z.string().min(1).max(4_096).exactOptional().describe('A file below one of the operator’s media roots'),
        data: z.string().min(1).exactOptional().describe('In place of path: the file in base64'),
        alt: z.string().max(10_000).default('').describe('What a person who can not see it should know'),
        part: z
          .int()
          .min(0)
          .max(partsMax - 1)
          .default(0),
      }),
    )
    .max(partsMax * mediaPerPartMax)
    .default([]),
  scheduled_for: z.iso.datetime({ offset: true }).optional().describe('When it is to go out; in the future'),
  idempotency_key: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('The same key again is the same item, never a second one'),
})
type ProposeInput = z.output<typeof proposeInput>

/** Everything that had to be asked of others before the transaction. */
interface Prepared {
  readonly network: NetworkAdapter
  readonly account: string
  readonly kind: 'reply' | 'tweet' | 'thread'
  readonly parts: readonly string[]
  readonly target?: ReplyTarget
  readonly media: readonly ReadMedium[]
  readonly draft?: Row<'drafts'>
  readonly scheduledFor?: number
}

const proposedView = z.strictObject({
  id: z.int(),
  status: z.enum(itemStatuses),
  rev: z.int(),
  content_hash: z.string(),
  expires_at: z.string().nullable(),
  replayed: z.boolean().describe('Whether the item was there already'),
})

function proposePost(parts: ProposalParts): SocialTool {
  return changing({
    name: 'propose_post',
    title: 'Propose a post',
    description:
      'Hands in a post, a reply or a thread. It waits until a person approves it with: callboard approvals. Nothing that an agent does lets it out.',
    input: proposeInput,
    data: proposedView,
    marks: proposes,
    prepare: (input, actor, { signal }) => prepareProposal(parts, input, actor, signal),
    async change(_, actor, db, prepared, { key, isKeyGiven, argumentsHash, correlationId }) {
      const { network, account, kind, target, media, draft, scheduledFor } = prepared
      const notes = await parts.media.store(db, media)
      const { item, replayed } = await parts.proposals.propose(db, {
        network,
        account,
        action: kind,
        parts: prepared.parts,
        media: notes,
        origin: 'agent',
        owner: actor.owner,
        key,
        isKeyGiven,
        argumentsHash,
        correlationId,
        ...(target !== undefined && { target }),
        ...(network.visibility !== undefined && { visibility: network.visibility }),
        ...(scheduledFor !== undefined && { scheduledFor }),
        ...(draft !== undefined && {
          draftId: draft.id,
          generatedBy: draft.generated_by,
          ...(draft.topic !== null && { topic: draft.topic }),
          ...(draft.format !== null && { archetype: draft.format }),
        }),
      })
      return {
        data: viewProposed(item, replayed, parts.clock.now()),
        meta: { ...backendOf(network.name), rollback: rollbackOf(item) },
      }
    },
    replayed: ({ data, ...rest }) => ({ ...rest, data: { ...data, replayed: true } }),
    afterwards: () => parts.proposals.wake(),
  })
}

function viewProposed(item: Item, replayed: boolean, now: number): z.output<typeof proposedView> {
  const { id, rev, content_hash, expires_at } = item
  return {
    id,
    status: statusOf(item, now),
    rev,
    content_hash,
    expires_at: expires_at === null ? null : utcText(expires_at),
    replayed,
  }
}

function rollbackOf({ id, status }: Item) {
  if (status === 'pending') return { reversible: true, undo_tool: 'withdraw_item', undo_params: { id } }
  return {
    reversible: false,
    note: 'It was approved already; an operator can take it back as long as nothing is sent.',
  }
}

async function prepareProposal(
  parts: ProposalParts,
  input: ProposeInput,
  actor: Actor,
  signal: AbortSignal,
): Promise<Prepared> {
  const draft = await draftOf(parts, input, actor)
  const kind = draft?.kind ?? input.kind
  if (kind === undefined)
    throw failure('validation_error', `kind: required with parts; one of ${actionTypes.join(', ')}.`)
  const network = parts.networks.get(draft?.network ?? input.network)
  if (!network.capabilities.canPost) {
    throw failure(
      'capability_missing',
      `The account on ${network.name} may not post (tier ${network.capabilities.tier}).`,
    )
  }
  const scheduledFor = futureTime(input.scheduled_for, parts.clock.now())
  const target = await targetOf(network, kind, input.reply_to, signal)
  const media = await parts.media.read(input.media, {
    network,
    parts: draft === undefined ? (input.parts?.length ?? 0) : 1,
  })
  const { handle } = await network.account(signal)
  const given = draft === undefined ? (input.parts ?? []) : (JSON.parse(draft.parts) as string[])
  return {
    network,
    account: handle,
    kind,
    parts: target === undefined ? given : given.map((text) => addressed(text, network.replyPrefix(target.author))),
    media,
    ...(target !== undefined && { target }),
    ...(draft !== undefined && { draft }),
    ...(scheduledFor !== undefined && { scheduledFor }),
  }
}

async function draftOf(
  { store }: ProposalParts,
  input: ProposeInput,
  actor: Actor,
): Promise<Row<'drafts'> | undefined> {
  if ((input.parts === undefined) === (input.draft_id === undefined)) {
    throw failure('validation_error', 'parts, draft_id: give exactly one of them.')
  }
  if (input.draft_id === undefined) return undefined
  const draft = await store.db.selectFrom('drafts').selectAll().where('id', '=', input.draft_id).executeTakeFirst()
  if (draft === undefined || (!actor.isOperator && draft.owner !== actor.owner)) {
    throw failure('not_found', `There is no draft ${input.draft_id}. compose_tweet makes one.`)
  }
  if (input.kind !== undefined && input.kind !== draft.kind) {
    throw failure('validation_error', `kind: the draft is a ${draft.kind}; leave kind out.`)
  }
  if (input.network !== undefined && input.network !== draft.network) {
    throw failure(
      'validation_error',
      `network: the draft was written for ${draft.network}; leave network out, or give its text as parts.`,
    )
  }
  return draft
}

function futureTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (time > now && time < now + scheduleMsMax) return time
  throw failure('validation_error', `scheduled_for: must be in the future, at most a year ahead (got ${text}).`)
}

const scheduleMsMax = 366 * 24 * 60 * 60_000

async function targetOf(
  network: NetworkAdapter,
  kind: Prepared['kind'],
  replyTo: string | undefined,
  signal: AbortSignal,
): Promise<ReplyTarget | undefined> {
  if (kind !== 'reply') {
    if (replyTo === undefined) return undefined
    throw failure('validation_error', `reply_to: a ${kind} answers nobody; leave it out, or let kind be reply.`)
  }
  if (replyTo === undefined) throw failure('validation_error', 'reply_to: required; URL or id of the post to answer.')
  const ref = network.parseRef(replyTo)
  if (ref === undefined) {
    throw failure(
      'validation_error',
      `reply_to: is no URL or id of a post on ${network.name}; name its network if it is another.`,
    )
  }
  const [post] = await network.posts([ref], signal)
  if (post === undefined)
    throw failure('not_found', `There is no such post on ${network.name}; it may have been deleted.`)
  return replyTarget(post)
}

export function replyTarget(post: NetworkPost): ReplyTarget {
  return {
    ...post.ref,
    url: storable(post.url, postUrlMax),
    authorId: storable(post.authorId, postIdMax),
    author: storable(post.authorUsername, postNameMax),
    text: storable(post.text, postTextMax),
    addressesUs: post.addressesUs,
    ...(post.root !== undefined && { root: post.root }),
    ...(post.replyRefusal !== undefined && { refusal: post.replyRefusal }),
  }
}

/** Where a network reaches the author only by name, the text begins with it. */
function addressed(text: string, prefix: string): string {
  const name = prefix.trim()
  const isSaid = text.slice(0, name.length).toLowerCase() === name.toLowerCase()
  // "@bobby" and "@bob@elsewhere" are other people than "@bob".
  return prefix === '' || (isSaid && !/^[\p{L}\p{N}_@.-]/u.test(text.slice(name.length))) ? text : prefix + text
}

function editItem(parts: ProposalParts): SocialTool {
  return changing({
    name: 'edit_item',
    title: 'Edit a pending item',
    description: 'Replaces the text of a post that waits. What was seen of it before can then no longer be approved.',
    input: z.object({ id: itemIdInput, rev: z.int().min(1).describe('The revision that was read'), parts: partsInput }),
    data: itemView,
    marks: { ...proposes, openWorldHint: false },
    async change({ id, rev, parts: texts }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findItem(db, id, actor)
      const network = parts.networks.get(item.network)
      const reply = async (current: Item) => ({
        data: await viewItem(db, current, now, network),
        meta: backendOf(item.network),
      })
      requireTransition(item, 'edit', now)
      const before = contentOf(item)
      const isSame = JSON.stringify(before.parts) === JSON.stringify(texts)
      if (isSame) return reply(item)
      requireSeen(item, { rev })
      if (texts.length === 1 ? item.action_type === 'thread' : item.action_type !== 'thread') {
        throw failure(
          'validation_error',
          `parts: a ${item.action_type} can not have ${texts.length}; propose another item.`,
        )
      }
      if (before.media.some(({ part }) => part >= texts.length)) {
        throw failure('validation_error', 'parts: one that is left out has a picture; propose another item.')
      }
      requireLength({ network, parts: texts, visibility: item.visibility ?? undefined, target: before.target })
      const candidate = candidateOf(item, item.scheduled_for ?? now, texts)
      const problem = await safetyProblem(db, candidate, parts.config)
      if (problem !== undefined) throw problem
      const risks = await risksOf(db, candidate, parts.config)
      const edited = await changeItem(db, item, 'edit', 'pending', now, {
        parts: JSON.stringify(texts),
        content_hash: hashOf(item, texts),
        risks: JSON.stringify(risks),
      })
      await recordRevision(db, edited, actor.principal, now)
      await recordAction(db, {
        at: now,
        type: await logTypeOf(db, item),
        status: 'success',
        message: `Item ${id} was edited: revision ${edited.rev}.`,
        metadata: { item_id: id, network: item.network, rev: edited.rev },
        principal: actor.principal,
        correlationId,
      })
      return reply(edited)
    },
  })
}

function withdrawItem(parts: ProposalParts): SocialTool {
  return changing({
    name: 'withdraw_item',
    title: 'Withdraw a pending item',
    description: 'Takes back a post that waits; it will not go out.',
    input: z.object({ id: itemIdInput }),
    data: z.strictObject({ status: z.literal('withdrawn'), id: z.int() }),
    marks: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async change({ id }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findItem(db, id, actor)
      const reply = { data: { status: 'withdrawn' as const, id }, meta: backendOf(item.network) }
      if (item.status === 'withdrawn') return reply
      await changeItem(db, item, 'withdraw', 'withdrawn', now)
      await recordAction(db, {
        at: now,
        type: await logTypeOf(db, item),
        status: 'skipped',
        message: `Item ${id} was withdrawn.`,
        metadata: { item_id: id, network: item.network },
        principal: actor.principal,
        correlationId,
      })
      return reply
    },
  })
}

function verifyPost(parts: ProposalParts): SocialTool {
  const { store, clock, networks } = parts
  return changing({
    name: 'verify_post',
    title: 'Verify a post',
    description: 'Reads a published post back from its network and compares it with what was approved.',
    input: z.object({ id: itemIdInput }),
    data: z.strictObject({
      id: z.int(),
      status: z.enum(itemStatuses),
      verified: z.boolean(),
      differences: z.array(
        z.strictObject({
          part: z.int(),
          field: z.enum(['missing', 'text', 'author', 'parent', 'media']),
          expected: z.string(),
          found: z.string(),
        }),
      ),
    }),
    marks: proposes,
    async prepare({ id }, actor, { signal }) {
      const item = await findItem(store.db, id, actor)
      if (item.status !== 'posted') return undefined
      const row = await store.db
        .selectFrom('outbox')
        .selectAll()
        .where('approval_id', '=', id)
        .executeTakeFirstOrThrow()
      const entry = await readEntry(store.db, row)
      return { entry, differences: await readBack(entry, networks.get(item.network), signal) }
    },
    async change({ id }, actor, db, reading) {
      const item = await findItem(db, id, actor)
      if (reading !== undefined) await recordReading(db, reading.entry, reading.differences, clock.now())
      const data = {
        id,
        status: statusOf(item, clock.now()),
        verified: reading !== undefined && reading.differences.length === 0,
        differences: [...(reading?.differences ?? [])],
      }
      return { data, meta: backendOf(item.network) }
    },
  })
}
