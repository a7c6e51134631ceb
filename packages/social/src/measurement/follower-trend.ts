import type { NetworkName } from '../config.js'
import { dayMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import { utcDate } from './utc-date.js'

/** As replies show it. */
export interface FollowerSnapshot {
  readonly date: string
  readonly follower_count: number
  readonly following_count: number
  readonly tweet_count: number
  readonly network: NetworkName
}

interface TrendQuery {
  readonly network: NetworkName
  readonly limit: number
  /** Only dates from this one on. */
  readonly since?: string
  /** Only dates before this one. */
  readonly before?: string
}

/** The newest ones that the question allows, oldest first. */
export async function followerTrend(db: Database, query: TrendQuery): Promise<readonly FollowerSnapshot[]> {
  let rows = db
    .selectFrom('follower_snapshots')
    .select(['date', 'follower_count', 'following_count', 'tweet_count', 'network'])
    .where('network', '=', query.network)
  if (query.since !== undefined) rows = rows.where('date', '>=', query.since)
  if (query.before !== undefined) rows = rows.where('date', '<', query.before)
  return (await rows.orderBy('date', 'desc').limit(query.limit).execute()).reverse()
}

/** The newest snapshot minus the latest one that is at least so many days old; 0 where there is none. */
export async function netFollowerChange(
  db: Database,
  network: NetworkName,
  days: number,
  now: number,
): Promise<number> {
  const [newest] = await followerTrend(db, { network, limit: 1 })
  const [older] = await followerTrend(db, { network, limit: 1, before: utcDate(now - (days - 1) * dayMs) })
  return newest === undefined || older === undefined ? 0 : newest.follower_count - older.follower_count
}
