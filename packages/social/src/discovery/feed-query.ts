import type { NetworkName } from '../config.js'
import type { Database } from '../records/schema.js'
import { type RecencyPiece, recencyPieces, recentMs } from '../scoring/recency.js'
import type { FeedPlace } from './feed-cursor.js'

export interface FeedSlice {
  readonly network: NetworkName
  /** UTC ms for which it is computed. */
  readonly asOf: number
  /** Unrounded. */
  readonly minScore: number
  /** What a post has for being new, at most. */
  readonly recencyMax: number
  /** Only what comes behind it. */
  readonly after?: FeedPlace
  readonly limit: number
}

/**
 * Posts of the last hours, best first. Their score depends on the time, so all of them are computed, out of an index alone;
 * discovery is slow enough that there are never many.
 */
export function youngPosts(db: Database, slice: FeedSlice) {
  const { network, asOf, minScore, recencyMax, after, limit } = slice
  const [fresh, newer, older, oldest] = recencyPieces
  return db
    .selectFrom((from) =>
      from
        .selectFrom('discovered_posts')
        .select(['id', 'posted_at'])
        .select((eb) => {
          // The types of parameters are not left to PostgreSQL, which would take whole ones.
          const real = (value: number) => eb.cast<number>(eb.val(value), 'double precision')
          const since = (ageMs: number) => eb.parens('posted_at', '-', asOf - ageMs)
          const points = ({ fromMs, untilMs, begin, end }: RecencyPiece) =>
            eb(
              real(recencyMax * begin),
              '+',
              eb(real((recencyMax * (begin - end)) / (untilMs - fromMs)), '*', since(fromMs)),
            )
          const recency = eb
            .case()
            .when('posted_at', '>=', asOf - fresh.untilMs)
            .then(points(fresh))
            .when('posted_at', '>=', asOf - newer.untilMs)
            .then(points(newer))
            .when('posted_at', '>=', asOf - older.untilMs)
            .then(points(older))
            .else(points(oldest))
            .end()
          return eb('base_score', '+', recency).as('score')
        })
        .where('network', '=', network)
        .where('replied_to', '=', 0)
        .where('posted_at', '>=', asOf - recentMs)
        // Before anything is computed.
        .where('base_score', '>=', minScore - recencyMax)
        .as('young'),
    )
    .select(['id', 'posted_at', 'score'])
    .where('score', '>=', minScore)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('score', 'posted_at', 'id'), '<', tuple(after!.score, after!.postedAt, after!.id)),
      ),
    )
    .orderBy('score', 'desc')
    .orderBy('posted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
}

/** Older posts, best first: nothing is left of their recency, so the index has them in this order. */
export function oldPosts(db: Database, { network, asOf, minScore, after, limit }: FeedSlice) {
  return db
    .selectFrom('discovered_posts')
    .select(['id', 'posted_at', 'base_score as score'])
    .where('network', '=', network)
    .where('replied_to', '=', 0)
    .where('base_score', '>=', minScore)
    .where('posted_at', '<', asOf - recentMs)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('base_score', 'posted_at', 'id'), '<', tuple(after!.score, after!.postedAt, after!.id)),
      ),
    )
    .orderBy('base_score', 'desc')
    .orderBy('posted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
}
