import type { SocialConfig } from '../config.js'
import {
  type Budget,
  budgetOf,
  type LimitedAction,
  limitedActions,
  longestWindowMs,
  ruleOf,
} from '../ledger/rate-ledger.js'
import type { RateState } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'

/** What is left of a limit, by our own count and by what the network says. */
export interface RateLimit extends Budget {
  /** Absent where no network is meant. */
  readonly network?: string
  /** Whose remainder it is: the smaller one. */
  readonly limitedBy: 'config' | 'network'
}

/** The endpoint of a network's own limits that an action goes against. */
const endpoints: { readonly [action in LimitedAction]?: string } = {
  reply: 'write',
  tweet: 'write',
  thread: 'write',
  search: 'search',
  mention_check: 'read',
}

/** Of every action on that network, and of what the caller may change. */
export async function rateLimitsOf(
  db: Database,
  config: Pick<SocialConfig, 'limits'>,
  whose: { readonly network: string; readonly rates: readonly RateState[]; readonly principal: string },
  now: number,
): Promise<readonly RateLimit[]> {
  const { network, rates, principal } = whose
  const limits: RateLimit[] = []
  for (const action of limitedActions) {
    const rule = ruleOf(config, action)
    if (action === 'mcp_mutation') {
      limits.push({ ...(await budgetOf(db, rule, { network: '', principal }, now)), limitedBy: 'config' })
    } else {
      const own = await budgetOf(db, rule, { network }, now)
      limits.push({ ...merged(own, stateOf(rates, endpoints[action], now)), network })
    }
  }
  return limits
}

/** What a network said of a window that has ended holds no more; and one that speaks of years does not know what it says. */
function stateOf(rates: readonly RateState[], endpoint: string | undefined, now: number): RateState | undefined {
  return rates.find(
    (rate) => rate.endpoint === endpoint && rate.resetsAt > now && rate.resetsAt <= now + longestWindowMs,
  )
}

function merged(own: Budget, network: RateState | undefined): RateLimit {
  if (network === undefined || !(network.remaining < own.remaining)) return { ...own, limitedBy: 'config' }
  const remaining = Math.max(0, Math.floor(network.remaining))
  if (remaining > 0) return { ...own, remaining, limitedBy: 'network' }
  return { ...own, remaining, resetsAt: Math.max(network.resetsAt, own.resetsAt ?? 0), limitedBy: 'network' }
}
