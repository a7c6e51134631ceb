import { recordAction } from '../activity/record-action.js'
import { failure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { hourMs } from '../limits.js'
import type { Networks } from '../networks/networks.js'
import { risksOf } from '../policy/risks.js'
import { type Candidate, type ReplyTarget, safetyProblem } from '../policy/safety-checks.js'
import { networkPartOf } from '../publishing/network-part.js'
import type { Database } from '../records/schema.js'
import { measure } from '../text/measure.js'
import { approveItem } from './approve-item.js'
import { contentHash } from './content-hash.js'
import { logTypeOf } from './log-type.js'
import type { Item, Proposal, Proposals, Proposed } from './proposals.js'
import { needsApproval } from './standing.js'

export interface ProposalDeskParts extends Foundation {
  readonly networks: Networks
  /** Wakes the publisher. */
  readonly wakePublisher: () => void
}

export class ProposalDesk implements Proposals {
  readonly #parts: ProposalDeskParts

  constructor(parts: ProposalDeskParts) {
    this.#parts = parts
  }

  wake(): void {
    this.#parts.wakePublisher()
  }

  async propose(db: Database, given: Proposal): Promise<Proposed> {
    const { visibility = given.network.visibility } = given
    // What is approved says to whom it is shown: another configuration later on changes nothing of it.
    const proposal = visibility === undefined ? given : { ...given, visibility }
    const known = await this.#known(db, proposal)
    if (known !== undefined) return { item: known, replayed: true }
    requireShape(proposal)
    requireLength(proposal)
    const { config, clock } = this.#parts
    const candidate = candidateOf(proposal, clock.now())
    const problem = await safetyProblem(db, candidate, config)
    if (problem !== undefined) throw problem
    const item = await this.#insert(db, proposal, await risksOf(db, candidate, config, proposal))
    if (this.#needsPerson(proposal)) return { item, replayed: false }
    const { item: approved } = await approveItem(db, item, { by: 'system:autopilot' }, this.#parts)
    return { item: approved, replayed: false }
  }

  /** Under its key, or, without one of the caller's, an equal one that waits. Throws `conflict` for a key used otherwise. */
  async #known(db: Database, proposal: Proposal): Promise<Item | undefined> {
    const items = db.selectFrom('approval_queue').selectAll().where('owner', '=', proposal.owner)
    const sameKey = await items.where('idempotency_key', '=', proposal.key).executeTakeFirst()
    if (sameKey !== undefined) {
      if (sameKey.arguments_hash === proposal.argumentsHash) return sameKey
      throw failure(
        'conflict',
        `This idempotency key is that of item ${sameKey.id}, which is another one; take another key.`,
        {
          details: { id: sameKey.id },
        },
      )
    }
    if (proposal.isKeyGiven) return undefined
    return items
      .where('status', '=', 'pending')
      .where('content_hash', '=', hashOf(proposal))
      .where('expires_at', '>', this.#parts.clock.now())
      .executeTakeFirst()
  }

  /**
   * Text of a template, and a reply to somebody who did not address us, are looked at by a person also where nothing else
   * is, unless the operator waived that for the network.
   */
  #needsPerson({ generatedBy, target, network }: Proposal): boolean {
    const { config } = this.#parts
    if (needsApproval(config)) return true
    if (config.approval.waive_for.includes(network.name)) return false
    return generatedBy === 'template' || (target !== undefined && !target.addressesUs)
  }

  async #insert(db: Database, proposal: Proposal, risks: readonly string[]): Promise<Item> {
    const { clock, config } = this.#parts
    const now = clock.now()
    const { network, owner } = proposal
    const item = await db
      .insertInto('approval_queue')
      .values(columnsOf(proposal, risks, now, config.approval.ttl_hours))
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordRevision(db, item, owner, now)
    // The autopilot tells of its own, and of where it found what it answers.
    if (proposal.origin === 'autopilot') return item
    await recordAction(db, {
      at: now,
      type: await logTypeOf(db, item),
      status: 'success',
      message: `Item ${item.id} was proposed for ${network.name}.`,
      metadata: { item_id: item.id, network: network.name, origin: proposal.origin },
      principal: owner,
      ...(proposal.correlationId !== undefined && { correlationId: proposal.correlationId }),
    })
    return item
  }
}

function columnsOf(proposal: Proposal, risks: readonly string[], now: number, ttlHours: number) {
  const { network, parts, media = [], target, scheduledFor = null, owner, key } = proposal
  const cost = costOf(proposal)
  return {
    network: network.name,
    account: proposal.account,
    action_type: proposal.action,
    parts: JSON.stringify(parts),
    media: JSON.stringify(media),
    target: target === undefined ? null : JSON.stringify(target),
    target_post_id: target?.id ?? null,
    target_author: target?.author ?? null,
    target_author_id: target?.authorId ?? null,
    visibility: proposal.visibility ?? null,
    topic: proposal.topic ?? null,
    archetype: proposal.archetype ?? null,
    score: proposal.score ?? null,
    risks: JSON.stringify(risks),
    origin: proposal.origin,
    generated_by: proposal.generatedBy ?? null,
    status: 'pending' as const,
    rev: 1,
    content_hash: hashOf(proposal),
    scheduled_for: scheduledFor,
    expires_at: now + ttlHours * hourMs,
    owner,
    idempotency_key: key,
    arguments_hash: proposal.argumentsHash,
    draft_id: proposal.draftId ?? null,
    cost_estimate: cost > 0 ? cost : null,
    created_at: now,
    updated_at: now,
  }
}

/** What the item was, for whoever asks later who wrote what. */
export async function recordRevision(db: Database, item: Item, principal: string, at: number): Promise<void> {
  const { id, rev, parts, content_hash } = item
  await db
    .insertInto('approval_revisions')
    .values({ approval_id: id, rev, parts, content_hash, principal, at })
    .execute()
}

/** A thread is several posts, anything else one; only a reply answers somebody. */
function requireShape({ action, parts, target, media = [] }: Proposal): void {
  const isCount = action === 'thread' ? parts.length >= 2 : parts.length === 1
  if (!isCount) {
    const what =
      action === 'thread'
        ? 'a thread has at least two parts: post one text as a tweet'
        : `a ${action} has one part: post several as a thread`
    throw failure('validation_error', `parts: ${what} (got ${parts.length}).`)
  }
  if ((action === 'reply') !== (target !== undefined)) {
    throw failure('validation_error', 'reply_to: a reply needs it, and nothing else takes it.')
  }
  if (media.some(({ part }) => part >= parts.length)) {
    throw failure(
      'validation_error',
      `media: there is no part ${Math.max(...media.map(({ part }) => part))}; parts count from 0.`,
    )
  }
}

interface Texts extends Pick<Proposal, 'network' | 'parts'> {
  readonly visibility?: string | null | undefined
  readonly target?: ReplyTarget | undefined
}

/** Throws `tweet_too_long`, or what else the network says of a part before it is sent. */
export function requireLength({ network, parts, visibility, target }: Texts): void {
  for (const [position, text] of parts.entries()) {
    const { count, limit, unit, fits } = measure(text, network.lengthRule)
    const place = parts.length === 1 ? 'The text' : `Part ${position + 1}`
    if (text.trim() === '') throw failure('validation_error', `parts[${position}]: must not be empty.`)
    if (!fits) {
      throw failure(
        'tweet_too_long',
        `${place} has ${count} ${unit}; ${network.name} takes ${limit}. Shorten it${parts.length === 1 ? ', or post a thread' : ''}.`,
        {
          details: { network: network.name, part: position, count, limit, unit },
        },
      )
    }
    const part = networkPartOf({ text, media: [], target, visibility })
    network.prepare(part, { key: network.newPublishKey(0, () => 0).key, createdAt: 0 })
  }
}

function costOf({ network, parts }: Proposal): number {
  return parts.reduce((sum, text) => sum + network.costOf({ text }), 0)
}

function candidateOf(proposal: Proposal, now: number): Candidate {
  const { network, account, action, parts, target, scheduledFor = now } = proposal
  return { network: network.name, account, action, parts, ...(target !== undefined && { target }), at: scheduledFor }
}

function hashOf({ network, account, action, parts, media = [], target, visibility, scheduledFor }: Proposal): string {
  return contentHash({
    network: network.name,
    account,
    action,
    parts,
    media,
    replyTo: target?.id ?? null,
    visibility: visibility ?? null,
    contentWarning: null,
    language: null,
    scheduledFor: scheduledFor ?? null,
  })
}
