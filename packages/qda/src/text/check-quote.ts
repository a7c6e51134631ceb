import { type AnchoredQuote, anchorQuote } from './anchor-quote.js'
import { foldedQuote } from './quote-folding.js'
import type { QuoteSelector } from './quote-selector.js'
import type { SearchAllowance } from './search-allowance.js'
import type { TextIndex, TextRange } from './text-index.js'

export type CheckedQuote = AnchoredQuote & {
  /** Whether the quote stands elsewhere than at the given positions. */
  readonly relocated: boolean
}

/**
 * Positions and a quote, which must agree: the positions stay where the quote stands there. Else the quote must be the only
 * one, if need be by its prefix, suffix or occurrence; never the nearest, since the positions are wrong. Throws as
 * `anchorQuote` does; positions outside the text are wrong ones.
 */
export function checkQuote(
  index: TextIndex,
  { near: _, ...selector }: QuoteSelector,
  { start, end }: TextRange,
  allowance?: SearchAllowance,
): CheckedQuote {
  if (start >= 0 && start < end && end <= index.length) {
    const text = index.slice(start, end)
    if (text === selector.quote) return { start, end, text, matched: 'exact', relocated: false }
    if (isSameFolded(text, selector.quote)) return { start, end, text, matched: 'folded', relocated: false }
  }
  const found = anchorQuote(index, selector, allowance)
  return { ...found, relocated: found.start !== start || found.end !== end }
}

function isSameFolded(text: string, quote: string): boolean {
  const folded = foldedQuote(text)
  return folded !== '' && folded === foldedQuote(quote)
}
