import { z } from 'zod'
import { needsApproval } from '../approval/standing.js'
import type { ContentWriter } from '../content/content-writer.js'
import type { Foundation } from '../foundation.js'
import type { LimitedAction } from '../ledger/rate-ledger.js'
import { checkMs } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Networks } from '../networks/networks.js'
import { type NetworkCapabilities, networkCapabilities } from '../status/network-capabilities.js'
import { type RateLimit, rateLimitsOf } from '../status/rate-limits.js'
import { withinTime } from '../status/within-time.js'
import { backendOf, networkInput } from './network-input.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export interface GetCapabilitiesParts extends Foundation {
  readonly networks: Networks
  readonly writer: Pick<ContentWriter, 'hasModel'>
}

const input = z.strictObject({ network: networkInput })

const rateLimit = z.strictObject({
  action_type: z.string(),
  remaining: z.int(),
  max: z.int(),
  period_seconds: z.number(),
})

const network = z.strictObject({
  network: z.string(),
  tier: z.string(),
  limit: z.int().describe('How long a post may be'),
  unit: z.string(),
  reply_rule: z.string(),
  can_post: z.boolean(),
  can_reply: z.boolean(),
  can_search: z.boolean(),
  can_discover: z.boolean(),
  can_attach: z.boolean(),
  media_max: z.int().describe('Files of one post'),
})

const data = z.strictObject({
  tier: z.string(),
  tier_detected_at: z.string().exactOptional(),
  can_post_tweets: z.boolean(),
  can_reply: z.boolean(),
  can_search: z.boolean(),
  can_discover: z.boolean(),
  approval_mode: z.boolean(),
  llm_available: z.boolean().describe('Whether one is configured; without one there may be templates'),
  rate_limits: z.array(rateLimit),
  recommended_max_actions: z.strictObject({ replies: z.int(), tweets: z.int(), threads: z.int() }),
  networks: z.array(network).describe('All that are switched on, the default one first'),
  warnings: z.array(z.string()).describe('What could not be found out'),
})

/** Nothing that is configured: as a network that we can't use at all. */
const nothing = { tier: 'unknown', can_post: false, can_reply: false, can_search: false, can_discover: false }

/** Never fails: what can't be found out is left out, and said in `warnings`. */
export function getCapabilitiesTool(parts: GetCapabilitiesParts): SocialTool {
  const { config, networks, writer } = parts
  return answering({
    name: 'get_capabilities',
    title: 'Capabilities',
    description:
      'What you can do now, and how much of it: per network the tier, length of a post and who may be replied to; what is left of ' +
      'the limits; whether a person approves. Asks nobody outside.',
    input,
    data,
    marks: reads,
    async answer({ network: name = networks.default.name }, { owner }) {
      const known = networks.all.map((each) => capabilitiesOf(each, parts.log))
      const all = known.filter((each) => each !== undefined)
      const asked = all.find((each) => each.network === name)
      const { limits, warning } = await limitsOrWarning(parts, name, owner)
      const warnings = [
        ...(asked === undefined
          ? [
              networks.all.some((each) => each.name === name)
                ? `What ${name} can do could not be found out.`
                : `${name} is not switched on here; an operator sets social.${name}.enabled.`,
            ]
          : []),
        ...(warning === undefined ? [] : [warning]),
      ]
      const { tier, can_post, can_reply, can_search, can_discover } = asked ?? nothing
      return {
        data: {
          tier,
          can_post_tweets: can_post,
          can_reply,
          can_search,
          can_discover,
          approval_mode: needsApproval(config),
          llm_available: writer.hasModel,
          rate_limits: limits.map(limitView),
          recommended_max_actions: recommended(asked, limits),
          networks: all,
          warnings,
        },
        meta: backendOf(name),
      }
    },
  })
}

/** Undefined when its adapter does not know. */
function capabilitiesOf(adapter: NetworkAdapter, log: Foundation['log']): NetworkCapabilities | undefined {
  try {
    return network.parse(networkCapabilities(adapter))
  } catch (err) {
    log.error({ err, network: adapter.name }, 'capabilities can not be told')
    return undefined
  }
}

interface Limits {
  readonly limits: readonly RateLimit[]
  readonly warning?: string
}

function limitsOrWarning(parts: GetCapabilitiesParts, network: string, principal: string): Promise<Limits> {
  const { config, store, clock, log, networks } = parts
  return withinTime<Limits>(
    clock,
    checkMs,
    async () => {
      const rates = networks.all.find(({ name }) => name === network)?.rates ?? []
      return { limits: await rateLimitsOf(store.db, config, { network, rates, principal }, clock.now()) }
    },
    (err) => {
      log.warn({ err }, 'limits can not be read')
      return {
        limits: [],
        warning:
          'The database of this worker does not answer: nobody knows what is left of the limits, and nothing can be sent.',
      }
    },
  )
}

function limitView({ action, remaining, max, windowMs }: RateLimit): z.input<typeof rateLimit> {
  return { action_type: action, remaining, max, period_seconds: windowMs / 1_000 }
}

/** What is left and allowed; nothing where nobody knows. */
function recommended(network: NetworkCapabilities | undefined, limits: readonly RateLimit[]) {
  const left = (action: LimitedAction, isAllowed = false) =>
    isAllowed ? (limits.find((limit) => limit.action === action)?.remaining ?? 0) : 0
  return {
    replies: left('reply', network?.can_reply),
    tweets: left('tweet', network?.can_post),
    threads: left('thread', network?.can_post),
  }
}
