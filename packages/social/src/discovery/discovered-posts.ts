import type { NetworkName } from '../config.js'
import type { Foundation } from '../foundation.js'
import type { NetworkPost } from '../networks/network-adapter.js'
import type { Row } from '../records/row.js'
import type { Database, PostSource } from '../records/schema.js'
import type { Score, Scorer } from '../scoring/scorer.js'

export type DiscoveredPost = Row<'discovered_posts'>

/** A post with its score at the time of the question. */
export interface ScoredPost {
  readonly post: DiscoveredPost
  readonly score: Score
}

export interface FeedQuery {
  readonly network?: NetworkName
  /** 0 to 100, of the score now. */
  readonly minScore: number
  readonly limit: number
  /** Opaque, from an earlier page: scores are those of that page's time. */
  readonly cursor?: string
}

/** What discovery has found, scored; nothing here asks a network. */
export class DiscoveredPosts {
  constructor(_foundation: Foundation, _scorer: Scorer) {}

  /** Stores what is new and fit to be stored (own, reposted, blocked and empty ones are not); counts of known ones are updated. */
  store(
    _db: Database,
    _posts: readonly NetworkPost[],
    _found: { readonly network: NetworkName; readonly source: PostSource; readonly ownAccountId: string },
  ): Promise<readonly DiscoveredPost[]> {
    throw new Error('not yet')
  }

  /** Not yet replied to, best first. */
  feed(_query: FeedQuery): Promise<{ readonly posts: readonly ScoredPost[]; readonly cursor?: string }> {
    throw new Error('not yet')
  }

  /** It leaves the feed. Nothing when the post was never discovered. */
  markReplied(_db: Database, _network: NetworkName, _remoteId: string): Promise<void> {
    throw new Error('not yet')
  }

  /** Scores anew what was scored under another configuration; at most `limit` of them, and how many that were. */
  rescore(_limit: number): Promise<number> {
    throw new Error('not yet')
  }
}
