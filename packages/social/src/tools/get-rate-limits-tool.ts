import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import type { Networks } from '../networks/networks.js'
import { type RateLimit, rateLimitsOf } from '../status/rate-limits.js'
import { backendOf, networkInput } from './network-input.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export interface GetRateLimitsParts extends Foundation {
  readonly networks: Networks
}

const input = z.strictObject({ network: networkInput })

const limit = z.strictObject({
  action_type: z.string(),
  request_count: z.int().describe('Used, in the fullest window that now is in'),
  max_requests: z.int(),
  period_start: z.string().describe('Oldest counted event'),
  period_seconds: z.number(),
  remaining: z.int().describe('How many more there may be now; the smaller one of our own and the network’s'),
  reserved: z.int().describe('Approved, and not sent yet'),
  resets_at: z.string().exactOptional().describe('When the next one is free; absent where the limit is 0'),
  network: z.string().exactOptional(),
  limited_by: z.enum(['config', 'network']),
})

export function getRateLimitsTool({ config, store, clock, networks }: GetRateLimitsParts): SocialTool {
  return answering({
    name: 'get_rate_limits',
    title: 'Rate limits',
    description:
      'What is left of each limit. Windows slide: a place is free again a whole period after it was used. mcp_mutation is your own.',
    input,
    data: z.array(limit),
    marks: reads,
    async answer({ network = networks.default.name }, { owner }) {
      // Of a network that is switched off there is still what the ledger knows.
      const rates = networks.all.find(({ name }) => name === network)?.rates ?? []
      const limits = await rateLimitsOf(store.db, config, { network, rates, principal: owner }, clock.now())
      return { data: limits.map(viewOf), meta: backendOf(network) }
    },
  })
}

function viewOf(rate: RateLimit): z.input<typeof limit> {
  return {
    action_type: rate.action,
    request_count: rate.used,
    max_requests: rate.max,
    period_start: utcText(rate.periodStart),
    period_seconds: rate.windowMs / 1_000,
    remaining: rate.remaining,
    reserved: rate.reserved,
    ...(rate.resetsAt !== undefined && { resets_at: utcText(rate.resetsAt) }),
    ...(rate.network !== undefined && { network: rate.network }),
    limited_by: rate.limitedBy,
  }
}
