import type { LengthRule } from './length-rule.js'
import { measure } from './measure.js'

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The longest beginning that ends with a sentence and fits; undefined when not even the first sentence does. */
export function cutToFit(text: string, rule: LengthRule): string | undefined {
  let best: string | undefined
  let sofar = ''
  for (const { segment } of sentences.segment(text)) {
    sofar += segment
    if (!measure(sofar.trim(), rule).fits) break
    best = sofar.trim()
  }
  return best
}
