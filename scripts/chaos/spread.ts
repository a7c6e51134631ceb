export interface Spread {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Of numbers in any order; zeros of none. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 }
}
