export interface Point {
  /** UTC ms. */
  readonly at: number
  readonly value: number
}

/** A straight line through what was measured, per hour. */
export interface Trend {
  readonly perHour: number
  /** Of `perHour`; infinite where there is too little to say. */
  readonly standardErrorPerHour: number
  /** Means that the line was drawn through. */
  readonly blocks: number
  /** Of what is left of one mean beside the line, and of the next. */
  readonly correlation: number
}

/** Neighbouring points are alike: a heap that grows until it is collected looks like a slope for as long as it grows. */
export const blockMsUsual = 60_000
/** Fewer means have no spread to speak of. */
const blocksMin = 6
const hourMs = 3_600_000
/** Beyond it a correlation leaves next to nothing of so few means. */
const correlationMax = 0.9

/**
 * The least-squares line through the means of blocks of time, which takes out most of what neighbours have in common; for
 * what is left of it between neighbouring means the standard error is widened, as if there were fewer of them.
 */
export function trendOf(points: readonly Point[], blockMs = blockMsUsual): Trend {
  const means = meansOf(points, blockMs)
  const at = mean(means.map((each) => each.at))
  const level = mean(means.map((each) => each.value))
  const spread = sum(means.map((each) => (each.at - at) ** 2))
  if (means.length < blocksMin || spread === 0) {
    return { perHour: 0, standardErrorPerHour: Number.POSITIVE_INFINITY, blocks: means.length, correlation: 0 }
  }
  const slope = sum(means.map((each) => (each.at - at) * (each.value - level))) / spread
  const rests = means.map((each) => each.value - level - slope * (each.at - at))
  const correlation = neighbourCorrelation(rests)
  const variance = sum(rests.map((rest) => rest ** 2)) / (means.length - 2)
  const widening = Math.sqrt((1 + correlation) / (1 - correlation))
  return {
    perHour: slope * hourMs,
    standardErrorPerHour: Math.sqrt(variance / spread) * widening * hourMs,
    blocks: means.length,
    correlation,
  }
}

export type Course = 'flat' | 'rising' | 'falling' | 'unknown'

/** Flat: within two standard errors of zero, or too small to matter to anybody (`smallPerHour`). */
export function courseOf({ perHour, standardErrorPerHour }: Trend, smallPerHour: number): Course {
  if (!Number.isFinite(standardErrorPerHour)) return 'unknown'
  if (Math.abs(perHour) <= Math.max(2 * standardErrorPerHour, smallPerHour)) return 'flat'
  return perHour > 0 ? 'rising' : 'falling'
}

/** A block that is not full is left out: its mean is less sure than the others. */
function meansOf(points: readonly Point[], blockMs: number): Point[] {
  const startedAt = points[0]?.at ?? 0
  const lastAt = points.at(-1)?.at ?? 0
  const blocks = new Map<number, Point[]>()
  for (const point of points) {
    const block = Math.floor((point.at - startedAt) / blockMs)
    blocks.set(block, [...(blocks.get(block) ?? []), point])
  }
  const interval = (lastAt - startedAt) / Math.max(1, points.length - 1)
  return [...blocks]
    .filter(([block]) => startedAt + (block + 1) * blockMs <= lastAt + interval * 1.5)
    .map(([, inside]) => ({ at: mean(inside.map(({ at }) => at)), value: mean(inside.map(({ value }) => value)) }))
}

/**
 * Drawing the line takes some of it away, about (2 + 4r)/n of n, which is put back. Never below zero: what swings to and fro
 * must not make the line look surer than it is.
 */
function neighbourCorrelation(rests: readonly number[]): number {
  const all = sum(rests.map((rest) => rest ** 2))
  if (all === 0) return 0
  const seen = sum(rests.slice(1).map((rest, index) => rest * rests[index]!)) / all
  return Math.min(correlationMax, Math.max(0, seen + (2 + 4 * seen) / rests.length))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const mean = (numbers: readonly number[]): number => (numbers.length === 0 ? 0 : sum(numbers) / numbers.length)
