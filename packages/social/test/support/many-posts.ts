import type { NetworkName } from '../../src/config.js'
import type { SocialSchema } from '../../src/records/schema.js'
import type { Scorer } from '../../src/scoring/scorer.js'
import { seeded, type TestFoundation } from './test-foundation.js'

export interface ManyPosts {
  readonly count: number
  readonly network?: NetworkName
  /** Every post has this age at most; default a week. */
  readonly withinMs?: number
}

type NewPost = Omit<SocialSchema['discovered_posts'], 'id'>

/** Posts as discovery leaves them, of all ages and scores, without the work of scoring each. */
export async function storeManyPosts(foundation: TestFoundation, scorer: Scorer, wish: ManyPosts): Promise<void> {
  const { count, network = 'local', withinMs = 7 * 24 * 60 * 60_000 } = wish
  const random = seeded(7)
  const now = foundation.clock.now()
  for (let first = 0; first < count; first += perStatement) {
    const rows = Array.from({ length: Math.min(perStatement, count - first) }, (_, index) => ({
      network,
      remote_id: `${network}-${first + index}`,
      url: `https://social.example/${first + index}`,
      author_id: `author-${(first + index) % 5_000}`,
      author_username: `author${(first + index) % 5_000}.example`,
      author_followers: Math.floor(random() * 20_000),
      content: 'We built an MCP server for our AI agents, and this is what we have learned from it so far.',
      posted_at: now - Math.floor(random() * withinMs),
      likes: Math.floor(random() * 100),
      reposts: 0,
      replies: Math.floor(random() * 20),
      has_media: 0,
      is_quote: 0,
      source: 'search',
      matched_keywords: '["mcp"]',
      // Many share one score: of most posts a network tells little.
      base_score: random() < 0.5 ? 44.4 : random() * (100 - scorer.recencyMax),
      score: 50,
      scoring_version: scorer.version,
      discovered_at: now,
      replied_to: 0,
      addresses_us: 0,
      can_reply: 1,
    }))
    await foundation.store.db
      .insertInto('discovered_posts')
      .values(rows as unknown as NewPost[] as never)
      .execute()
  }
}

/** 21 values each; SQLite takes 32,766 of them. */
const perStatement = 500
