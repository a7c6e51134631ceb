import { quoteCandidatesMax, quoteUnitsComparedMax } from '../limits.js'
import { foldedForQuotes, foldedQuote } from './quote-folding.js'
import type { QuoteSelector } from './quote-selector.js'
import type { TextIndex } from './text-index.js'
import type { UnitSpan } from './unit-span.js'

/** Why several places are left, or none of several. */
export type Unclear = 'several' | 'no_such_prefix' | 'no_such_suffix' | 'no_such_occurrence' | 'too_many'

export type SpanChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly span: UnitSpan }
  | {
      readonly kind: 'unclear'
      readonly reason: Unclear
      readonly candidates: readonly UnitSpan[]
      readonly total: number
    }

/**
 * Which of the places where a quote stands is meant. One alone is, whatever stands around it; several are narrowed by
 * prefix, suffix, occurrence and the nearest position, in this order.
 */
export function chooseSpan(index: TextIndex, spans: Iterable<UnitSpan>, selector: QuoteSelector): SpanChoice {
  const all = new Tally(index, selector)
  const prefixed = new Tally(index, selector)
  const matching = new Tally(index, selector)
  const isAfterPrefix = prefixTest(index, selector.prefix)
  const isBeforeSuffix = suffixTest(index, selector.suffix)
  let unitsCompared = 0
  for (const span of spans) {
    all.add(span)
    unitsCompared += span.end - span.start
    if (unitsCompared > quoteUnitsComparedMax) return all.unclear('too_many')
    if (!isAfterPrefix(span)) continue
    prefixed.add(span)
    if (isBeforeSuffix(span)) matching.add(span)
  }
  if (all.count <= 1) return all.choice()
  if (prefixed.count === 0) return all.unclear('no_such_prefix')
  return matching.count === 0 ? prefixed.unclear('no_such_suffix') : matching.choice()
}

/** What has to be known of any number of places to choose among them. */
class Tally {
  count = 0
  readonly #index: TextIndex
  readonly #selector: QuoteSelector
  readonly #near: number | undefined
  readonly #first: UnitSpan[] = []
  #counted: UnitSpan | undefined
  #nearest: { readonly span: UnitSpan; readonly distance: number; readonly isAlone: boolean } | undefined

  constructor(index: TextIndex, selector: QuoteSelector) {
    this.#index = index
    this.#selector = selector
    this.#near = typeof selector.near === 'object' ? selector.near.start : selector.near
  }

  add(span: UnitSpan): void {
    this.count += 1
    if (this.#first.length < quoteCandidatesMax) this.#first.push(span)
    if (this.count === this.#selector.occurrence) this.#counted = span
    if (this.#near !== undefined) this.#measure(span, Math.abs(this.#index.toCodePoint(span.start) - this.#near))
  }

  choice(): SpanChoice {
    if (this.count === 0) return { kind: 'none' }
    if (this.#selector.occurrence !== undefined) {
      return this.#counted === undefined ? this.unclear('no_such_occurrence') : { kind: 'one', span: this.#counted }
    }
    if (this.count === 1) return { kind: 'one', span: this.#first[0]! }
    return this.#nearest?.isAlone ? { kind: 'one', span: this.#nearest.span } : this.unclear('several')
  }

  unclear(reason: Unclear): SpanChoice {
    return { kind: 'unclear', reason, candidates: this.#first, total: this.count }
  }

  #measure(span: UnitSpan, distance: number): void {
    const best = this.#nearest?.distance ?? Number.POSITIVE_INFINITY
    if (distance < best) this.#nearest = { span, distance, isAlone: true }
    else if (distance === best) this.#nearest = { span, distance, isAlone: false }
  }
}

type SpanTest = (span: UnitSpan) => boolean

/** Folded as quotes are, with or without white space between; as it stands where it is white space alone. */
function prefixTest(index: TextIndex, prefix: string | undefined): SpanTest {
  if (!prefix) return () => true
  const plain = foldedQuote(prefix)
  if (plain === '') return ({ start }) => start >= prefix.length && index.text.startsWith(prefix, start - prefix.length)
  const folded = foldedForQuotes(index)
  return ({ start }) => {
    const at = folded.toFolded(start)
    const end = folded.text[at - 1] === ' ' ? at - 1 : at
    return end >= plain.length && folded.text.startsWith(plain, end - plain.length)
  }
}

function suffixTest(index: TextIndex, suffix: string | undefined): SpanTest {
  if (!suffix) return () => true
  const plain = foldedQuote(suffix)
  if (plain === '') return ({ end }) => index.text.startsWith(suffix, end)
  const folded = foldedForQuotes(index)
  return ({ end }) => {
    const at = folded.toFolded(end)
    return folded.text.startsWith(plain, folded.text[at] === ' ' ? at + 1 : at)
  }
}
