/** What a post has brought by some time. */
export interface Counts {
  readonly likes: number
  readonly replies: number
  readonly reposts: number
  /** Where the network counts views. */
  readonly impressions?: number
}

/** Weighted reactions for each thousand views; for each thousand followers at posting time where nobody counts views. */
export function performanceScore(counts: Counts, followersAtPost: number): number {
  const { likes, replies, reposts, impressions } = counts
  return ((likes * 3 + replies * 5 + reposts * 4) / Math.max(impressions ?? followersAtPost, 1)) * 1000
}
