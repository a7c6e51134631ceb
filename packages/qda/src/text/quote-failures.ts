import { QdaFailure } from '../failure.js'
import { fuzzyErrorsShare, quoteCandidateLengthMax, quoteContextLength } from '../limits.js'
import type { SpanChoice, Unclear } from './choose-span.js'
import type { TextIndex, TextRange } from './text-index.js'

export interface ClosestPassage extends TextRange {
  readonly text: string
  /** From 0 to 1. */
  readonly similarity: number
}

/** What stands in several places. */
export type QuoteSubject = 'The quote' | 'Something like the quote'

/** `details.candidates` are the first of `details.total_count`, with what stands around them. */
export function unclearQuote(
  index: TextIndex,
  choice: Extract<SpanChoice, { kind: 'unclear' }>,
  subject: QuoteSubject,
): QdaFailure {
  const { reason, total, candidates } = choice
  const details = {
    total_count: total,
    candidates: candidates.map((span) =>
      candidate(index, { start: index.toCodePoint(span.start), end: index.toCodePoint(span.end) }),
    ),
  }
  const code = reason === 'no_such_occurrence' ? 'QUOTE_NOT_FOUND' : 'AMBIGUOUS_QUOTE'
  return new QdaFailure(code, sentence(reason, total, subject), {
    details,
    suggestions: ['Give a longer quote, or prefix, suffix or occurrence (from 1) to tell which one is meant'],
  })
}

/** `closest` null: nothing is like the quote; undefined: that was not looked for. */
export function quoteNotFound(
  closest: ClosestPassage | null | undefined,
  { mayPassFuzzy }: { readonly mayPassFuzzy: boolean },
): QdaFailure {
  if (!closest) {
    const likeness =
      closest === null
        ? 'and nothing is like it'
        : 'and it was not searched for what is like it: the quote or the batch is too long for that'
    return new QdaFailure('QUOTE_NOT_FOUND', `The quote is not in the text, ${likeness}`, {
      suggestions: ['Read the source again and quote it word by word'],
    })
  }
  const { start, end, text, similarity } = closest
  const takesFuzzy = mayPassFuzzy && similarity >= 1 - fuzzyErrorsShare
  return new QdaFailure(
    'QUOTE_NOT_FOUND',
    `The quote is not in the text; the closest passage is at [${start}:${end}], ${Math.round(similarity * 100)} % alike`,
    {
      details: { closest: { start_position: start, end_position: end, text, similarity } },
      suggestions: [`Quote that passage as it stands in the text${takesFuzzy ? ', or pass fuzzy: true' : ''}`],
    },
  )
}

function sentence(reason: Unclear, total: number, subject: QuoteSubject): string {
  const times = total === 1 ? 'once' : `${total} times`
  switch (reason) {
    case 'several':
      return `${subject} is in the text ${times}`
    case 'no_such_prefix':
      return `${subject} is in the text ${times}, never after this prefix`
    case 'no_such_suffix':
      return `${subject} is in the text ${times}, never before this suffix`
    case 'no_such_occurrence':
      return `There is no such occurrence: the quote is there ${times}`
    case 'too_many':
      return `${subject} is in the text more than ${times}`
    default:
      throw new Error(reason satisfies never)
  }
}

function candidate(index: TextIndex, { start, end }: TextRange) {
  // The names under which an operation takes them.
  return {
    start_position: start,
    end_position: end,
    text: index.slice(start, Math.min(end, start + quoteCandidateLengthMax)),
    context_before: index.slice(start - quoteContextLength, start),
    context_after: index.slice(end, end + quoteContextLength),
  }
}
