import { z } from 'zod'
import { recordActivity } from '../activity/record-activity.js'
import type { Foundation } from '../foundation.js'
import { socialClaimMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import type { Actor } from '../tools/actor.js'
import type { SocialPost } from './social-post.js'
import { type Item, itemId, itemStatus } from './social-worker.js'

const known = z.object({
  id: itemId,
  status: itemStatus,
  account: z.string().nullable(),
  permalink: z.string().exactOptional(),
  reason: z.string().exactOptional(),
})

const claim = z.object({ proposer: z.string() })

/** What was proposed, by group, platform, target and text: the same post is one item for ever. */
export class KnownPosts {
  readonly #foundation: Pick<Foundation, 'store' | 'clock'>

  constructor(foundation: Pick<Foundation, 'store' | 'clock'>) {
    this.#foundation = foundation
  }

  /**
   * The item as it was last seen; undefined when the caller is to propose it. Of several callers that ask at a time those of
   * one principal may all propose (to the social worker they are one), others are RATE_LIMITED: theirs would be a second item.
   */
  async findOrClaim(hash: string, actor: Actor): Promise<Item | undefined> {
    const { store, clock } = this.#foundation
    return store.transaction(async (db) => {
      await this.#claim(db, hash, actor)
      const row = await db.selectFrom('social_items').selectAll().where('hash', '=', hash).executeTakeFirstOrThrow()
      if (row.item_id !== null) return known.parse(JSON.parse(row.reply))
      const { proposer } = claim.parse(JSON.parse(row.reply))
      const freeAt = row.created_at + socialClaimMs
      if (proposer === actor.principal) return undefined
      if (freeAt > clock.now()) throw beingProposed(freeAt - clock.now())
      await db.updateTable('social_items').set(claimOf(actor, clock.now())).where('hash', '=', hash).execute()
      return undefined
    })
  }

  /** It was not proposed after all. */
  async release(hash: string): Promise<void> {
    const { db } = this.#foundation.store
    await db.deleteFrom('social_items').where('hash', '=', hash).where('item_id', 'is', null).execute()
  }

  /** Stores how the item is now. A line goes to the activity log when that is news. */
  async record(hash: string, post: SocialPost, item: Item, actor: Actor): Promise<void> {
    const { store, clock } = this.#foundation
    const { id, status } = item
    await store.transaction(async (db) => {
      const reply = JSON.stringify(item)
      // Another call of this principal may have given up its claim, which was this one's too.
      await this.#claim(db, hash, actor)
      await db.updateTable('social_items').set({ reply }).where('hash', '=', hash).execute()
      const { numUpdatedRows } = await db
        .updateTable('social_items')
        .set({ item_id: String(id), state: status })
        .where('hash', '=', hash)
        .where('state', '<>', status)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return
      await recordActivity(db, {
        at: clock.now(),
        type: 'social_post',
        group: actor.group.folder,
        ...(actor.run !== undefined && { runId: actor.run.id }),
        summary: `${post.platform}: item ${id} is ${status}`,
        details: {
          platform: post.platform,
          approval_id: id,
          status,
          ...(item.permalink && { permalink: item.permalink }),
        },
      })
    })
  }

  async #claim(db: Database, hash: string, actor: Actor): Promise<void> {
    await db
      .insertInto('social_items')
      .values({
        hash,
        group_folder: actor.group.folder,
        item_id: null,
        ...claimOf(actor, this.#foundation.clock.now()),
      })
      .onConflict((same) => same.column('hash').doNothing())
      .execute()
  }
}

const claimOf = ({ principal }: Actor, now: number) => ({
  state: 'proposing',
  reply: JSON.stringify({ proposer: principal }),
  created_at: now,
})

function beingProposed(retryAfterMs: number): Error {
  return refusal('RATE_LIMITED', 'Another agent of this group is proposing this very post just now.', {
    retryAfterMs,
    hint: 'Ask again in a moment: you will be told what became of it.',
  })
}
