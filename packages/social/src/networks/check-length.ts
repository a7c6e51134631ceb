import { failure } from '../envelope/failure.js'
import { isBlank } from '../text/blank-text.js'
import type { LengthRule } from '../text/length-rule.js'
import { measure } from '../text/measure.js'
import type { NetworkAdapter, Part } from './network-adapter.js'

/**
 * Throws `tweet_too_long`, or `validation_error` for a part that shows nothing, or what the network refuses whatever its
 * length. For every adapter's `prepare`; a file may stand alone.
 */
export function checkLength(network: NetworkAdapter['name'], part: Part, rule: LengthRule): void {
  const { count, limit, unit, fits } = measure(part.text, rule, part.contentWarning)
  const details = { network, count, limit, unit }
  if (count > limit) {
    const message = `The text has ${count} ${unit}, and ${network} takes ${limit}: shorten it, or make it a thread.`
    throw failure('tweet_too_long', message, { details })
  }
  if (fits || (isBlank(part.text) && part.media.length > 0)) return
  const message = isBlank(part.text)
    ? 'A post must not be empty: give it a text.'
    : `The text has characters that ${network} does not take: type it anew.`
  throw failure('validation_error', message, { details })
}
