import { recencyOf } from './recency.js'
import type { ScoreInput, Signal } from './scorer.js'

/** How well a post does by each signal but its keywords and age: 0 to 1. */
export type Factors = Readonly<Record<Signal, number>>

/** Of numbers that are none, or less than none, everything is 0. */
export function baseFactors(input: ScoreInput, keywords: number): Factors {
  return {
    keyword_relevance: keywords,
    follower: followerFactor(input.followers),
    recency: 0,
    engagement: engagementFactor(input),
    reply_count: Math.max(0, 1 - counted(input.replies) / 20),
    content_type: input.hasMedia || input.isQuote ? 0 : 1,
  }
}

export function recencyFactor({ postedAt }: ScoreInput, now: number): number {
  return recencyOf(now - postedAt)
}

function followerFactor(followers: number | undefined): number {
  const count = counted(followers)
  if (count < 100) return count / 200
  if (count < 1_000) return 0.5 + (count - 100) / 1_800
  if (count <= 10_000) return 1
  if (count <= 100_000) return 1 - (0.75 * (count - 10_000)) / 90_000
  return 0.25
}

/** Five reactions of a hundred followers are all that can be hoped for. Of unknown followers nobody knows the share. */
function engagementFactor(input: ScoreInput): number {
  if (!isKnown(input.followers)) return 0
  return Math.min(1, reactionsTo(input) / Math.max(input.followers, 1) / 0.05)
}

export function reactionsTo({ likes, reposts, replies }: ScoreInput): number {
  return counted(likes) + counted(reposts) + counted(replies)
}

export function isKnown(count: number | undefined): count is number {
  return count !== undefined && count >= 0 && count <= Number.MAX_SAFE_INTEGER
}

export function counted(count: number | undefined): number {
  return isKnown(count) ? count : 0
}
