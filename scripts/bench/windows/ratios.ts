/** The middle of what the rounds gave, and how far the middle half of them lies apart. */
export interface Spread {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

/** Quartiles, between neighbours where they fall between two; undefined of nothing. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.filter(Number.isFinite).toSorted((one, other) => one - other)
  if (sorted.length === 0) return undefined
  return { median: at(sorted, 0.5), lower: at(sorted, 0.25), upper: at(sorted, 0.75) }
}

/** Round by round, so that whatever slowed a whole round cancels out. */
export function ratiosOf(values: readonly number[], bases: readonly number[]): number[] {
  return values.slice(0, bases.length).map((value, round) => value / bases[round]!)
}

/** Round by round, likewise: by how much a value is more than what it is held against. */
export function differencesOf(values: readonly number[], bases: readonly number[]): number[] {
  return values.slice(0, bases.length).map((value, round) => value - bases[round]!)
}

function at(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)]!
  return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place))
}
