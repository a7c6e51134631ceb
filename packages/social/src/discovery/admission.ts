import { SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { ruleOf, take } from '../ledger/rate-ledger.js'
import { dayMs } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'

/**
 * Counts a request against our own limit, before it is sent. False: this limit or the server's is used up, and the turn has
 * nothing to do; the next one asks again.
 */
export async function admits(
  { store, config, clock }: Foundation,
  network: NetworkAdapter,
  action: 'search' | 'mention_check',
): Promise<boolean> {
  const now = clock.now()
  if (isUsedUp(network, action === 'search' ? 'search' : 'read', now)) return false
  try {
    const event = { action, network: network.name, at: now }
    await store.transaction((tx) => take(tx, event, ruleOf(config, action), now))
    return true
  } catch (error) {
    if (error instanceof SocialFailure && error.code === 'rate_limited') return false
    throw error
  }
}

/** Where a server counts searches among all reads, it tells of `read` alone. One that speaks of years does not know what it says. */
function isUsedUp({ rates }: NetworkAdapter, endpoint: string, now: number): boolean {
  const own = rates.find((rate) => rate.endpoint === endpoint) ?? rates.find((rate) => rate.endpoint === 'read')
  return own !== undefined && own.remaining <= 0 && own.resetsAt > now && own.resetsAt <= now + dayMs
}
