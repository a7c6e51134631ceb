/**
 * Below which time this part of what was counted lies, as even as it may lie within its bucket: an estimate, as exact as
 * the buckets. `counts` has one more than there are upper bounds: beyond the last one it is infinite. Undefined: nothing
 * was counted.
 */
export function quantileMs(part: number, counts: readonly number[], boundsMs: readonly number[]): number | undefined {
  const rank = part * counts.reduce((sum, count) => sum + count, 0)
  if (rank <= 0) return undefined
  let below = 0
  for (const [index, count] of counts.entries()) {
    if (below + count >= rank) return withinBucket((rank - below) / count, boundsMs[index - 1] ?? 0, boundsMs[index])
    below += count
  }
  return undefined
}

function withinBucket(part: number, fromMs: number, toMs: number | undefined): number {
  return toMs === undefined ? Number.POSITIVE_INFINITY : fromMs + part * (toMs - fromMs)
}
