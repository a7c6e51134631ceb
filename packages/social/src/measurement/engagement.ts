import type { NetworkName } from '../config.js'
import { topTopicsMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import { averageScore, type MeasuredItem, newestMeasurements } from './newest-measurements.js'

export interface Engagement {
  readonly measured: number
  /** Average performance; 0 where nothing is measured. */
  readonly average: number
}

/** Of the items whose first post was sent since then, by its newest measurement. Threads count among our own posts. */
export async function engagementSince(
  db: Database,
  network: NetworkName,
  since: number,
): Promise<{ readonly replies: Engagement; readonly tweets: Engagement }> {
  const items = await newestMeasurements(db, { network, since })
  return {
    replies: engagementOf(items.filter(({ action }) => action === 'reply')),
    tweets: engagementOf(items.filter(({ action }) => action !== 'reply')),
  }
}

const engagementOf = (items: readonly MeasuredItem[]): Engagement => ({
  measured: items.length,
  average: averageScore(items),
})

/** Best first. */
export function topTopics(db: Database, network: NetworkName) {
  return db
    .selectFrom('topic_scores')
    .select(['topic', 'format', 'total_posts', 'avg_performance', 'network'])
    .where('network', '=', network)
    .where('total_posts', '>', 0)
    .orderBy('avg_performance', 'desc')
    .orderBy('total_posts', 'desc')
    .orderBy('topic')
    .orderBy('format')
    .limit(topTopicsMax)
    .execute()
}
