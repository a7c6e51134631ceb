import { failure, type SocialFailure } from '../envelope/failure.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import { measure } from '../text/measure.js'

/** Nothing that ends with a sentence is short enough. */
export function tooLong(text: string, network: NetworkAdapter): SocialFailure {
  const { count, limit, unit } = measure(text, network.lengthRule)
  return failure(
    'tweet_too_long',
    `What was written has ${count} ${unit}, ${network.name} takes ${limit}, and it can not be cut at the end of a sentence. Try again with a narrower topic.`,
    { details: { network: network.name, count, limit, unit } },
  )
}
