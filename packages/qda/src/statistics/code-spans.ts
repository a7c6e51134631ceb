/** A code is an index here, so that it can be one of arrays. All spans of a list are of one source. */
export interface CodeSpan {
  readonly code: number
  readonly start: number
  readonly end: number
}

export function validSpans(spans: readonly CodeSpan[]): CodeSpan[] {
  return spans.filter(({ start, end }) => start < end)
}

/** What overlaps or touches under one code becomes one span. */
export function mergeSpans(spans: readonly CodeSpan[]): CodeSpan[] {
  const merged: { code: number; start: number; end: number }[] = []
  for (const span of [...spans].sort((a, b) => a.code - b.code || a.start - b.start)) {
    const last = merged.at(-1)
    if (last !== undefined && last.code === span.code && span.start <= last.end) {
      last.end = Math.max(last.end, span.end)
    } else merged.push({ ...span })
  }
  return merged
}

/** For each different span, the different codes on it. */
export function sameSpans(spans: readonly CodeSpan[]): number[][] {
  const groups = new Map<string, Set<number>>()
  for (const { code, start, end } of spans) {
    const key = `${start}:${end}`
    const codes = groups.get(key) ?? new Set()
    groups.set(key, codes.add(code))
  }
  return [...groups.values()].map((codes) => [...codes])
}
