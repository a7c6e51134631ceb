import type { LengthRule } from './length-rule.js'

/** The longest beginning that ends with a sentence and fits; undefined when not even the first sentence does. */
export function cutToFit(_text: string, _rule: LengthRule): string | undefined {
  throw new Error('not yet')
}
