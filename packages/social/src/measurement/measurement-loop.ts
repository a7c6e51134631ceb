import { recordAction } from '../activity/record-action.js'
import type { Foundation } from '../foundation.js'
import { measuredPerRequestMax } from '../limits.js'
import type { Loop } from '../loops/loop.js'
import type { NetworkAdapter, NetworkPost } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'
import { type DueMeasurement, dueMeasurements, gone } from './due-measurements.js'
import { followerTrend } from './follower-trend.js'
import { performanceScore } from './performance-score.js'
import { updateTopicScores } from './topic-scores.js'

const everyMs = 15 * 60_000

/** Asks what our posts have brought, an hour, a day and a week after they were sent. */
export function measurementLoop(foundation: Foundation, network: NetworkAdapter): Loop {
  return {
    name: 'measurement',
    network: network.name,
    everyMs,
    keepsHours: false,
    async turn(signal) {
      const due = await dueMeasurements(foundation, network.name)
      for (let from = 0; from < due.length; from += measuredPerRequestMax) {
        await measure(foundation, network, due.slice(from, from + measuredPerRequestMax), signal)
      }
    },
  }
}

/** Each request is stored as it comes: one that fails takes none of the others with it. */
async function measure(
  { store, clock }: Foundation,
  network: NetworkAdapter,
  due: readonly DueMeasurement[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const refs = due.map(({ remoteId: id, cid }) => ({ id, ...(cid !== null && { cid }) }))
  const posts = new Map((await network.posts(refs, signal)).map((post) => [post.ref.id, post]))
  const needsFollowers = due.some(({ followersAtPost }) => followersAtPost === null)
  const followersNow = needsFollowers ? await followersOf(store.db, network, signal) : 0
  const now = clock.now()
  await store.transaction(async (tx) => {
    for (const one of due) await record(tx, one, posts.get(one.remoteId), followersNow, now)
    await updateTopicScores(tx, [...new Set(due.map(({ outboxId }) => outboxId))], now)
    await recordAction(tx, {
      at: now,
      type: 'analytics',
      status: 'success',
      message: `Measured ${posts.size} of ${due.length} posts on ${network.name}${posts.size < due.length ? '; the others are gone' : ''}.`,
      metadata: { network: network.name, measured: posts.size, gone: due.length - posts.size },
    })
  })
}

/** The last count that was noted where the network does not tell now. */
async function followersOf(db: Database, network: NetworkAdapter, signal: AbortSignal): Promise<number> {
  const { followers, isUncounted } = await network.account(signal)
  if (!isUncounted) return followers
  const [newest] = await followerTrend(db, { network: network.name, limit: 1 })
  return newest?.follower_count ?? followers
}

async function record(
  db: Database,
  { outboxId, position, due, followersAtPost }: DueMeasurement,
  post: NetworkPost | undefined,
  followersNow: number,
  now: number,
): Promise<void> {
  const { likes = 0, replies = 0, reposts = 0, impressions } = post ?? {}
  const counts = { likes, replies, reposts, ...(impressions !== undefined && { impressions }) }
  await db
    .insertInto('performance')
    .values({
      outbox_id: outboxId,
      position,
      due: post === undefined ? gone : due,
      measured_at: now,
      ...counts,
      score: post === undefined ? 0 : performanceScore(counts, followersAtPost ?? followersNow),
    })
    .onConflict((same) => same.columns(['outbox_id', 'position', 'due']).doNothing())
    .execute()
}
