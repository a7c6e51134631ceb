import search from 'approx-string-match'
import { fuzzyQuoteUnitsMax } from '../limits.js'
import { groupsLeft, type LikelyRegion, likelyRegions } from './likely-regions.js'
import type { SearchAllowance } from './search-allowance.js'
import type { UnitSpan } from './unit-span.js'

export interface ApproximateSpan extends UnitSpan {
  /** Units inserted, left out or replaced. */
  readonly errors: number
}

export interface ApproximateSearch {
  readonly errorsMax: number
  readonly regionsMax: number
  readonly allowance: SearchAllowance
}

/**
 * The passages most like a quote: all have the same number of errors, and none overlaps another. Undefined where the quote is
 * too long or nothing of the allowance is left: nothing was searched.
 */
export function approximateSpans(
  text: string,
  quote: string,
  options: ApproximateSearch,
): ApproximateSpan[] | undefined {
  if (options.errorsMax < 1) return []
  if (quote.length > fuzzyQuoteUnitsMax || !options.allowance.take(text.length / scanShare)) return undefined
  const regions = likelyRegions(text, quote, options.errorsMax).slice(0, options.regionsMax)
  return apart(bestOf(text, quote, regions, options), quote.length)
}

/** Looking for likely regions costs a fraction of comparing them. */
const scanShare = 2
/** Preparing a comparison costs as much as these units of text. */
const preparingUnits = 500
/** What the search compares at once. */
const wordUnits = 32

function bestOf(text: string, quote: string, regions: readonly LikelyRegion[], options: ApproximateSearch) {
  const words = Math.ceil(quote.length / wordUnits)
  let { errorsMax } = options
  let best: ApproximateSpan[] = []
  for (const { start, end, shared } of regions) {
    if (shared < groupsLeft(quote, errorsMax)) break
    if (!options.allowance.take((end - start + preparingUnits) * words)) break
    const found = search(text.slice(start, end), quote, errorsMax)
    // The start of each match is searched for, too; texts that repeat themselves have one at every position.
    options.allowance.take(found.length * (quote.length + preparingUnits) * words)
    const errors = found[0]?.errors
    if (errors === undefined) continue
    if (errors < errorsMax) best = []
    errorsMax = errors
    for (const match of found) best.push({ start: start + match.start, end: start + match.end, errors })
  }
  return best
}

/** Of those that overlap, the one whose length is nearest to the quote's. */
function apart(spans: readonly ApproximateSpan[], length: number): ApproximateSpan[] {
  const offLength = ({ start, end }: UnitSpan) => Math.abs(end - start - length)
  const kept: ApproximateSpan[] = []
  for (const span of spans.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    const last = kept.at(-1)
    if (last === undefined || last.end <= span.start) kept.push(span)
    else if (offLength(span) < offLength(last)) kept[kept.length - 1] = span
  }
  return kept
}
