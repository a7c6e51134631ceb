import { QdaFailure } from '../failure.js'
import {
  closestErrorsShare,
  closestRegionsMax,
  fuzzyErrorsShare,
  fuzzyRegionsMax,
  quoteCandidateLengthMax,
  quoteUnitsMax,
} from '../limits.js'
import { type ApproximateSpan, approximateSpans } from './approximate-spans.js'
import { chooseSpan, type SpanChoice } from './choose-span.js'
import { occurrences } from './occurrences.js'
import { type QuoteSubject, quoteNotFound, unclearQuote } from './quote-failures.js'
import { foldedForQuotes, foldedQuote } from './quote-folding.js'
import type { QuoteSelector } from './quote-selector.js'
import { SearchAllowance } from './search-allowance.js'
import type { TextIndex, TextRange } from './text-index.js'
import type { UnitSpan } from './unit-span.js'

/** Code points, and what stands there. `folded`: the same but for white space, quotation marks and dashes. */
export type AnchoredQuote = TextRange & { readonly text: string } & (
    | { readonly matched: 'exact' | 'folded' }
    /** The share of the quote that is the same, from 0.8 to 1. */
    | { readonly matched: 'fuzzy'; readonly similarity: number }
  )

/**
 * Where a quote stands in a text. Of a batch, each call gets the same allowance.
 * @throws QdaFailure AMBIGUOUS_QUOTE with `details.candidates` and `total_count`; QUOTE_NOT_FOUND, with `details.closest`
 * where something is like it; INVALID_ARGUMENT for what can't be a quote.
 */
export function anchorQuote(
  index: TextIndex,
  selector: QuoteSelector,
  allowance: SearchAllowance = new SearchAllowance(),
): AnchoredQuote {
  refuseUnusable(selector.quote)
  const exact = settled(index, chooseSpan(index, occurrences(index.text, selector.quote), selector))
  if (exact !== undefined) return { ...exact, matched: 'exact' }
  const folded = settled(index, chooseSpan(index, foldedOccurrences(index, selector.quote), selector))
  if (folded !== undefined) return { ...folded, matched: 'folded' }
  return selector.fuzzy ? fuzzily(index, selector, allowance) : notFound(index, selector, allowance)
}

function refuseUnusable(quote: string): void {
  if (quote === '') throw new QdaFailure('INVALID_ARGUMENT', 'The quote is empty; give some words of the text')
  if (/\p{Surrogate}/u.test(quote)) {
    throw new QdaFailure('INVALID_ARGUMENT', 'The quote has half of a surrogate pair; give whole characters')
  }
  if (quote.length <= quoteUnitsMax) return
  throw new QdaFailure('INVALID_ARGUMENT', 'The quote is too long; give the positions of the passage instead', {
    details: { quote_units_max: quoteUnitsMax },
  })
}

function settled(index: TextIndex, choice: SpanChoice, subject: QuoteSubject = 'The quote'): Passage | undefined {
  switch (choice.kind) {
    case 'none':
      return undefined
    case 'one':
      return passage(index, choice.span)
    case 'unclear':
      throw unclearQuote(index, choice, subject)
    default:
      throw new Error(choice satisfies never)
  }
}

type Passage = TextRange & { readonly text: string }

/** An approximate match may begin or end inside a pair; it is widened to whole characters. */
function passage(index: TextIndex, span: UnitSpan): Passage {
  const start = index.toCodePoint(span.start)
  const before = index.toCodePoint(span.end)
  const end = index.toUtf16(before) < span.end ? before + 1 : before
  return { start, end, text: index.slice(start, end) }
}

function* foldedOccurrences(index: TextIndex, quote: string): Generator<UnitSpan> {
  const folded = foldedForQuotes(index)
  for (const { start, end } of occurrences(folded.text, foldedQuote(quote))) {
    yield { start: folded.toOriginal(start), end: folded.toOriginal(end) }
  }
}

function fuzzily(index: TextIndex, selector: QuoteSelector, allowance: SearchAllowance): AnchoredQuote {
  const found = alike(index, selector.quote, { share: fuzzyErrorsShare, regionsMax: fuzzyRegionsMax, allowance })
  const chosen = found && settled(index, chooseSpan(index, found.spans, selector), 'Something like the quote')
  if (!chosen) return notFound(index, selector, allowance)
  return { ...chosen, matched: 'fuzzy', similarity: found.similarity }
}

function notFound(index: TextIndex, { quote, fuzzy }: QuoteSelector, allowance: SearchAllowance): never {
  const found = alike(index, quote, { share: closestErrorsShare, regionsMax: closestRegionsMax, allowance })
  const [first] = found?.spans ?? []
  const closest = first && { ...clipped(index, passage(index, first)), similarity: found!.similarity }
  throw quoteNotFound(found && (closest ?? null), { mayPassFuzzy: !fuzzy })
}

function clipped(index: TextIndex, { start, end }: Passage): Passage {
  return { start, end, text: index.slice(start, Math.min(end, start + quoteCandidateLengthMax)) }
}

interface Likeness {
  /** Errors allowed, as a share of the quote. */
  readonly share: number
  readonly regionsMax: number
  readonly allowance: SearchAllowance
}

/** Undefined where it was not searched. */
function alike(index: TextIndex, quote: string, { share, regionsMax, allowance }: Likeness) {
  const folded = foldedForQuotes(index)
  const wanted = foldedQuote(quote)
  const errorsMax = Math.floor(wanted.length * share)
  const found = approximateSpans(folded.text, wanted, { errorsMax, regionsMax, allowance })
  if (found === undefined) return undefined
  const spans = found
    .map((span) => trimmed(folded.text, span))
    .map(({ start, end }) => ({
      start: folded.toOriginal(start),
      end: folded.toOriginal(end),
    }))
  const errors = found[0]?.errors ?? wanted.length
  return { spans, similarity: Math.round((1 - errors / wanted.length) * 1000) / 1000 }
}

/** Quotes have no white space around them, so neither has what is like them. */
function trimmed(text: string, { start, end }: ApproximateSpan): UnitSpan {
  return {
    start: text[start] === ' ' && end - start > 1 ? start + 1 : start,
    end: text[end - 1] === ' ' && end - start > 2 ? end - 1 : end,
  }
}
