import type { NetworkName } from '../config.js'
import type { Database } from '../records/schema.js'
import { averageScore, newestMeasurements } from './newest-measurements.js'

/**
 * Computes the averages of the topics of those outbox rows anew, from the newest measurement of each post: an average that is
 * only added to drifts when a post is measured again. A thread counts once, by its first post; replies have no topic here.
 */
export async function updateTopicScores(db: Database, outboxIds: readonly number[], now: number): Promise<void> {
  if (outboxIds.length === 0) return
  const topics = await db
    .selectFrom('outbox')
    .innerJoin('approval_queue as item', 'item.id', 'outbox.approval_id')
    .select(['item.network', 'item.topic', 'item.archetype'])
    .distinct()
    .where('outbox.id', 'in', outboxIds)
    .where('item.action_type', '!=', 'reply')
    .where('item.topic', 'is not', null)
    .execute()
  for (const { network, topic, archetype } of topics) await update(db, network, topic!, archetype, now)
}

async function update(
  db: Database,
  network: NetworkName,
  topic: string,
  archetype: string | null,
  now: number,
): Promise<void> {
  const items = await newestMeasurements(db, { network, about: { topic, format: archetype } })
  const values = { total_posts: items.length, avg_performance: averageScore(items), updated_at: now }
  await db
    .insertInto('topic_scores')
    .values({ network, topic, format: archetype ?? '', ...values })
    .onConflict((same) => same.columns(['network', 'topic', 'format']).doUpdateSet(values))
    .execute()
}
