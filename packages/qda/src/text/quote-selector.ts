import type { TextRange } from './text-index.js'

/** A passage, by its own words. */
export interface QuoteSelector {
  readonly quote: string
  /** What stands before or after it: tells one of several occurrences. */
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
  /** From 1, among those with this prefix and suffix. */
  readonly occurrence?: number | undefined
  /** The nearest is meant; code points. */
  readonly near?: TextRange | number | undefined
  /** Whether a passage that is only like the quote will do. */
  readonly fuzzy?: boolean | undefined
}
