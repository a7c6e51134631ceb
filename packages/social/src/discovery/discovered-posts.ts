import type { NetworkName } from '../config.js'
import type { Foundation } from '../foundation.js'
import { pageBytesMax } from '../limits.js'
import type { NetworkPost } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'
import type { Score, Scorer } from '../scoring/scorer.js'
import { withinBytes } from '../tools/page-cursor.js'
import { decodeFeedCursor, encodeFeedCursor, type FeedPlace } from './feed-cursor.js'
import { oldPosts, youngPosts } from './feed-query.js'
import { changingColumns, type DiscoveredPost, type Found, inputOf, isFit, lastingColumns, nameOf } from './post-row.js'
import { stalePosts } from './stale-posts.js'

export type { DiscoveredPost } from './post-row.js'

/** A post with its score at the time of the question. */
export interface ScoredPost {
  readonly post: DiscoveredPost
  readonly score: Score
}

export interface FeedQuery {
  /** Default: all that are switched on. */
  readonly network?: NetworkName
  /** 0 to 100, of the score now. */
  readonly minScore: number
  readonly limit: number
  /** Opaque, from an earlier page: scores are those of that page's time. */
  readonly cursor?: string
}

export interface Feed {
  /** Fewer than asked for only at the end, but for posts that changed meanwhile. */
  readonly posts: readonly ScoredPost[]
  /** Absent at the end. */
  readonly cursor?: string
}

/** What discovery has found, scored; nothing here asks a network. */
export class DiscoveredPosts {
  readonly #foundation: Foundation
  readonly #scorer: Scorer
  readonly #blocked: ReadonlySet<string>

  constructor(foundation: Foundation, scorer: Scorer) {
    this.#foundation = foundation
    this.#scorer = scorer
    this.#blocked = new Set(foundation.config.limits.blocked_authors.flatMap((name) => [name, nameOf(name)]))
  }

  /**
   * Stores what is fit to be stored (own, reposted, blocked and empty posts are not) and gives back what was not there before.
   * Of known ones text and counts are updated, and the score with them; never whether they were replied to.
   */
  async store(db: Database, posts: readonly NetworkPost[], found: Found): Promise<readonly DiscoveredPost[]> {
    const added: DiscoveredPost[] = []
    for (const post of posts) {
      if (!isFit(post, found, this.#blocked)) continue
      const row = await this.#insert(db, post, found)
      if (row === undefined) await this.#update(db, post, found)
      else added.push(row)
    }
    return added
  }

  async #insert(db: Database, post: NetworkPost, found: Found): Promise<DiscoveredPost | undefined> {
    const now = this.#foundation.clock.now()
    const columns = { ...lastingColumns(post, found, now), ...changingColumns(post) }
    return db
      .insertInto('discovered_posts')
      .values({ ...columns, ...this.#baseColumns(columns), score: this.#scorer.score(inputOf(columns), now).total })
      .onConflict((same) => same.columns(['network', 'remote_id']).doNothing())
      .returningAll()
      .executeTakeFirst()
  }

  async #update(db: Database, post: NetworkPost, { network }: Found): Promise<void> {
    const known = await this.find(post.ref.id, network, db)
    if (known === undefined) return
    const columns = changingColumns(post, known)
    await db
      .updateTable('discovered_posts')
      .set({ ...columns, ...this.#baseColumns({ ...known, ...columns }) })
      .where('id', '=', known.id)
      .execute()
  }

  /** Not yet replied to, best first. Throws `validation_error` for a cursor that is none. */
  async feed({ network, minScore, limit, cursor }: FeedQuery): Promise<Feed> {
    const { clock, config, store } = this.#foundation
    const from = cursor === undefined ? undefined : decodeFeedCursor(cursor, clock.now())
    const asOf = from?.asOf ?? clock.now()
    const slice = {
      asOf,
      minScore: leastRounded(minScore),
      recencyMax: this.#scorer.recencyMax,
      limit: limit + 1,
      ...(from !== undefined && { after: from.last }),
    }
    const places = await placesOf(store.db, network === undefined ? config.networks : [network], slice)
    const page = places.slice(0, limit)
    const scored = await this.#scored(page, asOf, minScore)
    const posts = withinBytes(scored, pageBytesMax)
    const isCut = posts.length < scored.length
    const last = isCut ? page.find(({ id }) => id === posts.at(-1)?.post.id) : page.at(-1)
    return {
      posts,
      ...(last !== undefined && (isCut || places.length > limit) && { cursor: encodeFeedCursor({ asOf, last }) }),
    }
  }

  /** In the order of the page, but for posts that were stored under another configuration. */
  async #scored(page: readonly FeedPlace[], asOf: number, minScore: number): Promise<readonly ScoredPost[]> {
    if (page.length === 0) return []
    const rows = await this.#foundation.store.db
      .selectFrom('discovered_posts')
      .selectAll()
      .where(
        'id',
        'in',
        page.map(({ id }) => id),
      )
      .where('replied_to', '=', 0)
      .execute()
    const order = new Map(page.map(({ id }, index) => [id, index]))
    return rows
      .map((post) => ({ post, score: this.#scorer.score(inputOf(post), asOf) }))
      .filter(({ score }) => score.total >= minScore)
      .sort((a, b) => b.score.total - a.score.total || order.get(a.post.id)! - order.get(b.post.id)!)
  }

  /** As a tool's caller names it: by the network's own id, which is in its feed. */
  find(remoteId: string, network: NetworkName, db: Database = this.#foundation.store.db) {
    return db
      .selectFrom('discovered_posts')
      .selectAll()
      .where('network', '=', network)
      .where('remote_id', '=', remoteId)
      .executeTakeFirst()
  }

  get(id: number, db: Database = this.#foundation.store.db) {
    return db.selectFrom('discovered_posts').selectAll().where('id', '=', id).executeTakeFirst()
  }

  /** Its score at this moment. */
  scoreOf(post: DiscoveredPost): Score {
    return this.#scorer.score(inputOf(post), this.#foundation.clock.now())
  }

  /** It leaves the feed. Nothing when the post was never discovered. */
  async markReplied(db: Database, network: NetworkName, remoteId: string): Promise<void> {
    await db
      .updateTable('discovered_posts')
      .set({ replied_to: 1 })
      .where('network', '=', network)
      .where('remote_id', '=', remoteId)
      .execute()
  }

  /**
   * Scores anew what was stored under another configuration; at most `limit` of them, and how many that were. To be called
   * until it gives 0 before loops and tools begin: the feed takes its order from what is stored.
   */
  async rescore(limit: number): Promise<number> {
    return this.#foundation.store.transaction(async (db) => {
      const rows = await stalePosts(db, this.#scorer.version, limit).execute()
      for (const { id, ...row } of rows) {
        await db.updateTable('discovered_posts').set(this.#baseColumns(row)).where('id', '=', id).execute()
      }
      return rows.length
    })
  }

  #baseColumns(row: Parameters<typeof inputOf>[0]) {
    const { points, matched } = this.#scorer.base(inputOf(row))
    return { base_score: points, matched_keywords: JSON.stringify(matched), scoring_version: this.#scorer.version }
  }
}

async function placesOf(
  db: Database,
  networks: readonly NetworkName[],
  slice: Omit<Parameters<typeof oldPosts>[1], 'network'>,
): Promise<readonly FeedPlace[]> {
  const places: FeedPlace[] = []
  for (const network of networks) {
    for (const query of [youngPosts(db, { ...slice, network }), oldPosts(db, { ...slice, network })]) {
      const rows = await query.execute()
      places.push(...rows.map(({ id, posted_at, score }) => ({ id, postedAt: posted_at, score })))
    }
  }
  return places.sort((a, b) => b.score - a.score || b.postedAt - a.postedAt || b.id - a.id)
}

/** Scores are compared as they are shown, rounded: the least that is shown as this or more. */
function leastRounded(score: number): number {
  return (Math.ceil(score * 10 - 1e-9) - 0.5) / 10
}
