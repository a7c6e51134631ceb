import { flag } from '@callboard/store'
import type { DiscoveredPost, DiscoveredPosts, FeedQuery } from '../../src/discovery/discovered-posts.js'
import type { Foundation } from '../../src/foundation.js'
import type { NetworkPost } from '../../src/networks/network-adapter.js'
import type { Database } from '../../src/records/schema.js'
import { type Score, type Signal, signals } from '../../src/scoring/scorer.js'

/** Stores what it gets, with the score that a test says, which does not change with time. */
export class FakeDiscoveredPosts implements Pick<DiscoveredPosts, 'store' | 'feed'> {
  readonly #foundation: Foundation
  readonly #scoreOf: (text: string) => number

  /** Default score: the number in the text, as in `mcp 70`. */
  constructor(foundation: Foundation, scoreOf = (text: string) => Number(/\d+/.exec(text)?.[0] ?? 0)) {
    this.#foundation = foundation
    this.#scoreOf = scoreOf
  }

  async store(
    db: Database,
    posts: readonly NetworkPost[],
    { network, source, ownAccountId }: Parameters<DiscoveredPosts['store']>[2],
  ): Promise<readonly DiscoveredPost[]> {
    for (const post of posts) {
      if (post.authorId === ownAccountId || post.isRepost || post.text === '') continue
      const score = this.#scoreOf(post.text)
      await db
        .insertInto('discovered_posts')
        .values({
          network,
          remote_id: post.ref.id,
          cid: post.ref.cid ?? null,
          root: post.root === undefined ? null : JSON.stringify(post.root),
          url: post.url,
          author_id: post.authorId,
          author_username: post.authorUsername,
          author_followers: post.authorFollowers ?? null,
          content: post.text,
          posted_at: post.postedAt,
          likes: post.likes,
          reposts: post.reposts,
          replies: post.replies,
          has_media: flag(post.media > 0),
          is_quote: flag(post.isQuote),
          source,
          matched_keywords: '[]',
          base_score: score,
          score,
          scoring_version: 'test',
          discovered_at: this.#foundation.clock.now(),
          replied_to: 0,
          addresses_us: flag(post.addressesUs),
          can_reply: flag(post.replyRefusal === undefined),
          reply_refusal: post.replyRefusal ?? null,
        })
        .onConflict((same) => same.columns(['network', 'remote_id']).doUpdateSet({ likes: post.likes }))
        .execute()
    }
    return db.selectFrom('discovered_posts').selectAll().execute()
  }

  async feed({ network, minScore, limit, cursor = '0' }: FeedQuery) {
    const { threshold } = this.#foundation.config.scoring
    const rows = await this.#foundation.store.db
      .selectFrom('discovered_posts')
      .selectAll()
      .where('network', '=', network!)
      .where('replied_to', '=', 0)
      .where('score', '>=', minScore)
      .orderBy('score', 'desc')
      .orderBy('id')
      .offset(Number(cursor))
      .limit(limit + 1)
      .execute()
    const posts = rows.slice(0, limit).map((post) => ({ post, score: scoreWith(post.score, threshold) }))
    return { posts, ...(rows.length > limit && { cursor: String(Number(cursor) + limit) }) }
  }
}

function scoreWith(total: number, threshold: number): Score {
  const each = Object.fromEntries(signals.map((signal) => [signal, 0])) as Record<Signal, number>
  const meets = total >= threshold
  const verdict = meets ? 'REPLY' : 'SKIP'
  return {
    ...each,
    total,
    meets_threshold: meets,
    verdict,
    threshold,
    maxima: each,
    matched_keywords: [],
    reasons: [],
  }
}
