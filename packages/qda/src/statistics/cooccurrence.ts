import { QdaFailure } from '../failure.js'
import { cooccurrenceCodesMax, cooccurrencePairsMax } from '../limits.js'
import { type CodeSpan, mergeSpans, sameSpans, validSpans } from './code-spans.js'
import { PairGrid } from './pair-grid.js'
import { countOverlaps, sumOverlaps } from './span-overlaps.js'

/** Positions in code points, [start, end). */
export interface PlacedCoding {
  readonly codeId: number
  readonly sourceId: number
  readonly start: number
  readonly end: number
}

/**
 * `overlap`: two codings share at least one character. `near`: at most `distance` characters lie between them; touching and
 * overlapping ones are near at 0. `same_span`: both codes are on exactly the same characters. `source`: both are in one source.
 */
export type CooccurrenceMode =
  | { readonly mode: 'overlap' | 'same_span' | 'source' }
  | { readonly mode: 'near'; readonly distance: number }

export type CooccurrenceOptions = CooccurrenceMode & {
  /** Pairs with fewer are left out; at least 1. */
  readonly minCount?: number
  /** The first so many of the order. */
  readonly top?: number
}

export interface CodePair {
  /** The smaller id of the two. */
  readonly codeA: number
  readonly codeB: number
  /** Of `overlap` and `near`, pairs of codings; of `same_span`, spans; of `source`, sources. */
  readonly count: number
  /** Characters that have both codes, each once, in every mode. */
  readonly sharedCharacters: number
  /** What both have by what either has: characters in `overlap` and `near`, spans in `same_span`, sources in `source`. */
  readonly jaccard: number
}

export interface Cooccurrence {
  /** By count, then shared characters, falling; then by ids. */
  readonly pairs: readonly CodePair[]
  /** How many pairs reach `minCount`, also those beyond `top`. */
  readonly totalPairs: number
}

/**
 * Which codes occur together. Codings without a character count in mode `source` only.
 *
 * The work is at most one step for each coding and each code that is open where it begins, so codings × codes, however they
 * overlap, in pieces, one for each source, between which others may have their turn. Throws QdaFailure INVALID_ARGUMENT for more
 * codes or steps than the limits allow.
 */
export function* cooccurrenceSteps(
  codings: Iterable<PlacedCoding>,
  options: CooccurrenceOptions,
): Generator<void, Cooccurrence> {
  const { codeIds, sources } = bySource(codings)
  const count = new PairGrid(codeIds.length)
  const shared = new PairGrid(codeIds.length)
  const characters = new Float64Array(codeIds.length)
  const units = options.mode === 'overlap' || options.mode === 'near' ? characters : new Float64Array(codeIds.length)
  for (const all of sources) {
    const spans = validSpans(all)
    const merged = mergeSpans(spans)
    for (const { code, start, end } of merged) characters[code]! += end - start
    sumOverlaps(merged, shared)
    countTogether(all, spans, options, count, units)
    yield
  }
  const unitsShared = units === characters ? shared : count
  const jaccard = (a: number, b: number) => {
    const both = unitsShared.of(a, b)
    return both === 0 ? 0 : both / (units[a]! + units[b]! - both)
  }
  const found = pairsInOrder(count, shared, options.minCount ?? 1)
  const pairs = found.slice(0, Math.min(options.top ?? cooccurrencePairsMax, cooccurrencePairsMax)).map(([a, b]) => ({
    codeA: codeIds[a]!,
    codeB: codeIds[b]!,
    count: count.of(a, b),
    sharedCharacters: shared.of(a, b),
    jaccard: jaccard(a, b),
  }))
  return { pairs, totalPairs: found.length }
}

/** Codes become indexes into `codeIds`, which rises. */
function bySource(codings: Iterable<PlacedCoding>): { codeIds: number[]; sources: CodeSpan[][] } {
  const all = [...codings]
  const codeIds = [...new Set(all.map(({ codeId }) => codeId))].sort((a, b) => a - b)
  if (codeIds.length > cooccurrenceCodesMax) {
    throw new QdaFailure(
      'INVALID_ARGUMENT',
      `At most ${cooccurrenceCodesMax} codes can be compared at once; ${codeIds.length} have codings here.`,
      { suggestions: ['Choose fewer codes or sources.'] },
    )
  }
  const indexes = new Map(codeIds.map((id, index) => [id, index]))
  const sources = new Map<number, CodeSpan[]>()
  for (const { codeId, sourceId, start, end } of all) {
    const spans = sources.get(sourceId) ?? []
    spans.push({ code: indexes.get(codeId)!, start, end })
    sources.set(sourceId, spans)
  }
  return { codeIds, sources: [...sources.values()] }
}

/** In one source; `units` is filled where they aren't characters. */
function countTogether(
  all: readonly CodeSpan[],
  spans: readonly CodeSpan[],
  options: CooccurrenceMode,
  count: PairGrid,
  units: Float64Array,
): void {
  switch (options.mode) {
    case 'overlap':
      return countOverlaps(spans, count)
    case 'near':
      // With every end moved by the distance and one, what is near overlaps, whichever comes first.
      return countOverlaps(
        spans.map((span) => ({ ...span, end: span.end + options.distance + 1 })),
        count,
      )
    case 'same_span':
      for (const codes of sameSpans(spans)) countGroup(codes, count, units)
      return
    case 'source':
      return countGroup([...new Set(all.map(({ code }) => code))], count, units)
    default:
      options satisfies never
  }
}

function countGroup(codes: readonly number[], count: PairGrid, units: Float64Array): void {
  for (const code of codes) units[code]! += 1
  count.addGroup(codes)
}

function pairsInOrder(count: PairGrid, shared: PairGrid, minCount: number): (readonly [number, number])[] {
  return count
    .pairsFrom(Math.max(1, minCount))
    .sort(([a, b], [c, d]) => count.of(c, d) - count.of(a, b) || shared.of(c, d) - shared.of(a, b) || a - c || b - d)
}
