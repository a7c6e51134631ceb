import { QdaFailure } from '../../failure.js'
import { anchorQuote } from '../../text/anchor-quote.js'
import { checkQuote } from '../../text/check-quote.js'
import { detached } from '../../text/detached.js'
import type { SearchAllowance } from '../../text/search-allowance.js'
import type { TextIndex } from '../../text/text-index.js'
import type { Operation } from './operation.js'

/** Where an operation's passage is. */
export interface Place {
  /** Code points, half-open. */
  readonly start: number
  readonly end: number
}

/** What a quote said of it, for the answer. */
export interface QuotedPlace extends Place {
  readonly text: string
  readonly matched: 'exact' | 'folded' | 'fuzzy'
  /** Whether the given positions were wrong. */
  readonly relocated: boolean
}

export type Passage = Pick<Operation, 'start' | 'end' | 'quote' | 'prefix' | 'suffix' | 'occurrence' | 'fuzzy'>

/** Throws INVALID_POSITION. */
export function placeByPosition({ length }: TextIndex, { start = 0, end = 0 }: Passage): Place {
  if (start >= 0 && start < end && end <= length) return { start, end }
  throw new QdaFailure('INVALID_POSITION', `Position [${start}:${end}] invalid for source of length ${length}`, {
    details: { start_position: start, end_position: end, total_length: length },
  })
}

/** Throws QUOTE_NOT_FOUND, AMBIGUOUS_QUOTE or INVALID_ARGUMENT. */
export function placeByQuote(index: TextIndex, passage: Passage, allowance: SearchAllowance): QuotedPlace {
  const { start, end, quote = '', prefix, suffix, occurrence, fuzzy } = passage
  const selector = { quote, prefix, suffix, occurrence, fuzzy }
  const found =
    start !== undefined && end !== undefined
      ? checkQuote(index, selector, { start, end }, allowance)
      : { relocated: false, ...anchorQuote(index, { ...selector, near: start ?? end }, allowance) }
  return {
    start: found.start,
    end: found.end,
    text: detached(found.text),
    matched: found.matched,
    relocated: found.relocated,
  }
}
