import type { Item, Proposal, Proposals, Proposed } from '../../src/approval/proposals.js'
import { needsApproval } from '../../src/approval/standing.js'
import type { Foundation } from '../../src/foundation.js'
import type { Database, ItemStatus } from '../../src/records/schema.js'

/** Queues what is proposed, as it is; with approval on it waits, else it is approved. Nothing is published. */
export class FakeProposals implements Proposals {
  readonly proposed: Proposal[] = []
  woken = 0
  readonly #foundation: Foundation
  readonly #failures: Error[] = []

  constructor(foundation: Foundation) {
    this.#foundation = foundation
  }

  failNext(error: Error): void {
    this.#failures.push(error)
  }

  async propose(db: Database, proposal: Proposal): Promise<Proposed> {
    const error = this.#failures.shift()
    if (error !== undefined) throw error
    const { owner, key } = proposal
    const known = await this.#find(db, owner, key)
    if (known !== undefined) return { item: known, replayed: true }
    this.proposed.push(proposal)
    await insertItem(
      db,
      proposal,
      needsApproval(this.#foundation.config) ? 'pending' : 'approved',
      this.#foundation.clock.now(),
    )
    return { item: (await this.#find(db, owner, key))!, replayed: false }
  }

  wake(): void {
    this.woken += 1
  }

  #find(db: Database, owner: string, key: string): Promise<Item | undefined> {
    return db
      .selectFrom('approval_queue')
      .selectAll()
      .where('owner', '=', owner)
      .where('idempotency_key', '=', key)
      .executeTakeFirst()
  }
}

async function insertItem(db: Database, proposal: Proposal, status: ItemStatus, now: number): Promise<void> {
  const { network, target } = proposal
  await db
    .insertInto('approval_queue')
    .values({
      network: network.name,
      account: proposal.account,
      action_type: proposal.action,
      parts: JSON.stringify(proposal.parts),
      media: '[]',
      target: target === undefined ? null : JSON.stringify(target),
      target_post_id: target?.id ?? null,
      target_author: target?.author ?? null,
      target_author_id: target?.authorId ?? null,
      topic: proposal.topic ?? null,
      archetype: proposal.archetype ?? null,
      score: proposal.score ?? null,
      risks: '[]',
      origin: proposal.origin,
      status,
      rev: 1,
      content_hash: 'hash',
      scheduled_for: proposal.scheduledFor ?? null,
      expires_at: status === 'pending' ? now + 24 * 60 * 60_000 : null,
      owner: proposal.owner,
      idempotency_key: proposal.key,
      arguments_hash: proposal.argumentsHash,
      created_at: now,
      updated_at: now,
    })
    .execute()
}
