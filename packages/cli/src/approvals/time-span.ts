const units: readonly (readonly [unit: string, unitMs: number, leastMs: number])[] = [
  ['d', 86_400_000, 2 * 86_400_000],
  ['h', 3_600_000, 2 * 3_600_000],
  ['min', 60_000, 60_000],
]

/** About how long, in one unit: `45 s`, `3 min`, `5 h`, `2 d`. */
export function timeSpan(ms: number): string {
  const [unit, unitMs] = units.find(([, , leastMs]) => ms >= leastMs) ?? ['s', 1_000]
  return `${Math.max(0, Math.floor(ms / unitMs))} ${unit}`
}

/** `in 5 h`, `3 min ago`. */
export function fromNow(time: string, now: number): string {
  const ms = Date.parse(time) - now
  return ms >= 0 ? `in ${timeSpan(ms)}` : `${timeSpan(-ms)} ago`
}
