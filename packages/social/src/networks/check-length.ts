import { failure } from '../envelope/failure.js'
import { isBlank } from '../text/blank-text.js'
import type { LengthRule } from '../text/length-rule.js'
import { measure } from '../text/measure.js'
import type { NetworkAdapter, Part } from './network-adapter.js'

/** Throws `tweet_too_long`, or `validation_error` for a part without a word. For every adapter's `prepare`. */
export function checkLength(network: NetworkAdapter['name'], part: Part, rule: LengthRule): void {
  if (isBlank(part.text)) throw failure('validation_error', 'A post must not be empty: give it a text.')
  const { count, limit, unit, fits } = measure(part.text, rule, part.contentWarning)
  if (fits) return
  throw failure(
    'tweet_too_long',
    `The text has ${count} ${unit}, and ${network} takes ${limit}: shorten it, or make it a thread.`,
    { details: { network, count, limit, unit } },
  )
}
