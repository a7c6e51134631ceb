import { measuredLengthMax, weightedLengthMax } from '../limits.js'
import type { LengthRule } from './length-rule.js'
import { measure } from './measure.js'
import { sentenceEnds } from './sentences.js'

/**
 * The longest beginning that ends with a sentence and fits, without blanks around it; the whole text where it fits. Undefined
 * when not even the first sentence does. Never throws, whatever the text.
 */
export function cutToFit(text: string, rule: LengthRule): string | undefined {
  const whole = text.trim()
  if (measure(whole, rule).fits) return whole
  const window = rule.kind === 'weighted' ? weightedLengthMax : measuredLengthMax
  const beginnings = sentenceEnds(whole.slice(0, window))
    // The window may end within a sentence.
    .filter((end) => end < window)
    .map((end) => whole.slice(0, end).trimEnd())
  return longestThatFits(beginnings, rule)
}

/** Each beginning is longer than the one before, so halving finds it: to measure takes time. */
function longestThatFits(beginnings: readonly string[], rule: LengthRule): string | undefined {
  let found: string | undefined
  let low = 0
  let high = beginnings.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const beginning = beginnings[middle]!
    const { fits } = measure(beginning, rule)
    if (fits) found = beginning
    if (fits || beginning === '') low = middle + 1
    else high = middle - 1
  }
  return found
}
