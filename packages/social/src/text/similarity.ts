import { foldText } from './fold-text.js'
import { tokensOf } from './tokens.js'

/** What of a text is compared: made once where one is compared with many. */
export type Shingles = ReadonlySet<string>

/** Runs of three words; of a shorter text all of it. Empty when there is nothing to compare. */
export function shinglesOf(text: string): Shingles {
  const folded = foldText(text).trim()
  const words = tokensOf(folded).map(({ text: word }) => word)
  const all = words.length === 0 ? [folded] : words
  if (all.length < shingleWords) return new Set(folded === '' ? [] : [all.join(' ')])
  return new Set(all.slice(shingleWords - 1).map((_, index) => all.slice(index, index + shingleWords).join(' ')))
}

/** 0 (nothing in common) to 1: what they share of all that either has (Jaccard). */
export function similarity(one: string | Shingles, other: string | Shingles): number {
  const [left, right] = [one, other].map((text) => (typeof text === 'string' ? shinglesOf(text) : text)) as [
    Shingles,
    Shingles,
  ]
  const [small, large] = left.size < right.size ? [left, right] : [right, left]
  let shared = 0
  for (const shingle of small) if (large.has(shingle)) shared += 1
  const total = small.size + large.size - shared
  return total === 0 ? 0 : shared / total
}

const shingleWords = 3
