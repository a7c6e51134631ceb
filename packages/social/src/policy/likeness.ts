import { wordsOf } from './plain-words.js'

/** Every three words in a row; of a shorter text all that it has. */
export function triplesOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text)
  if (words.length <= 3) return new Set(words.length === 0 ? [] : [words.join(' ')])
  return new Set(words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`))
}

/** Jaccard: the share of what both have in what either has; 0 to 1. Two without words are not alike. */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0
  for (const triple of one) if (other.has(triple)) both += 1
  const either = one.size + other.size - both
  return either === 0 ? 0 : both / either
}
