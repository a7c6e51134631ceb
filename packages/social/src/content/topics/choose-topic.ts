import { topicExploreShare } from '../../limits.js'
import type { RankedTopic } from './rank-topics.js'

/**
 * What a loop writes about next: mostly the best topic, sometimes any other, none that was used lately; when all were, the one
 * that has rested longest. `ranked` as by rankTopics, at least one; `random`: 0 to 1, 1 excluded.
 */
export function chooseTopic(ranked: readonly RankedTopic[], random: () => number): RankedTopic {
  const [best, ...others] = ranked.filter(({ usedAt }) => usedAt === undefined)
  if (best === undefined) return [...ranked].sort((a, b) => a.usedAt! - b.usedAt!)[0]!
  if (others.length === 0 || random() >= topicExploreShare) return best
  return others[Math.floor(random() * others.length)]!
}
