import { didYouMean } from '@callboard/worker/nearest-name'
import { isNetworkName, type NetworkName, networkNames } from './network-names.js'
import { networksOf } from './networks-of.js'
import { isGiven, secretKeys } from './secret-keys.js'
import type { WrittenSection } from './section-schema.js'
import { networkOfTarget, unknownNetworkOf } from './target-account.js'

/**
 * What is wrong between keys, each as `section.key: sentence`. Also asked of a section whose single values are wrong, so that
 * one mistake does not hide another: then a value may be anything but null and undefined where the schema has a default.
 */
export function relationProblems(section: WrittenSection): readonly string[] {
  return [
    ...businessProblems(section),
    ...scoringProblems(section),
    ...limitProblems(section),
    ...llmProblems(section),
    ...secretProblems(section),
    ...accountProblems(section),
    ...networkProblems(section),
    ...targetProblems(section),
  ]
}

function businessProblems({ business, ...section }: WrittenSection): readonly string[] {
  if (business === undefined) {
    return networksOf(section)
      .filter((name) => name !== 'local')
      .map(
        (name) => `business: must be there where ${name}.enabled is true: say who posts, with product_name and words`,
      )
  }
  if (typeof business !== 'object') return []
  if (!isEmptyList(business.product_keywords) || !isEmptyList(business.competitor_keywords)) return []
  return ['business.product_keywords: must have at least one entry, unless competitor_keywords has']
}

const isEmptyList = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0)

function scoringProblems({ scoring }: WrittenSection): readonly string[] {
  const maxima = Object.entries(scoring).filter(([key]) => key.endsWith('_max'))
  return maxima.every(([, value]) => value === 0)
    ? ['scoring: one of the keys that end in _max must be above 0, or every score is 0']
    : []
}

function limitProblems({ limits }: WrittenSection): readonly string[] {
  return limits.min_action_delay_seconds > limits.max_action_delay_seconds
    ? ['limits.min_action_delay_seconds: must be at most max_action_delay_seconds']
    : []
}

function llmProblems({ llm }: WrittenSection): readonly string[] {
  const { provider, model } = llm
  if (!['openai', 'groq', 'ollama', 'anthropic'].includes(provider)) return []
  const where = `where llm.provider is ${provider}`
  return [
    ...(model === undefined ? [`llm.model: must be set ${where}: there is no default`] : []),
    ...(provider === 'ollama' || isGiven(llm, 'api_key')
      ? []
      : [`llm.api_key: must be set ${where}, or api_key_file with a file that holds it`]),
  ]
}

function secretProblems(section: WrittenSection): readonly string[] {
  return secretKeys
    .filter(([name, key]) => {
      const own = section[name] as { readonly [key: string]: unknown }
      return own[key] !== undefined && own[`${key}_file`] !== undefined
    })
    .map(([name, key]) => `${name}.${key}_file: must not be set beside ${key}: which of both is meant nobody can tell`)
}

/** What a network can't be used without. */
function accountProblems({ bluesky, mastodon, x }: WrittenSection): readonly string[] {
  const needed: readonly (readonly [boolean, string, boolean])[] = [
    [bluesky.enabled, 'bluesky.handle', bluesky.handle !== undefined],
    [bluesky.enabled, 'bluesky.app_password', isGiven(bluesky, 'app_password')],
    [mastodon.enabled, 'mastodon.base_url', mastodon.base_url !== undefined],
    [mastodon.enabled, 'mastodon.access_token', isGiven(mastodon, 'access_token')],
    [x.enabled, 'x.client_id', x.client_id !== undefined],
    // Either gives the other one, for a while.
    [x.enabled, 'x.access_token', isGiven(x, 'access_token') || isGiven(x, 'refresh_token')],
  ]
  return needed
    .filter(([isEnabled, , isThere]) => isEnabled === true && !isThere)
    .map(([, key]) => `${key}: must be set where ${key.split('.')[0]}.enabled is true${ways[key] ?? ''}`)
}

const ways: Readonly<Record<string, string>> = {
  'bluesky.app_password': ', or app_password_file with a file that holds it',
  'mastodon.access_token': ', or access_token_file with a file that holds it',
  'x.access_token': ', or refresh_token, or a file that holds one of them',
}

function networkProblems(section: WrittenSection): readonly string[] {
  const networks = networksOf(section)
  const wanted = section.default_network
  return [
    ...(networks.length === 0 ? ['local.enabled: must not be false while no other network is switched on'] : []),
    ...(isNetworkName(wanted) && !networks.includes(wanted) ? [`default_network: ${notOn(wanted, networks)}`] : []),
  ]
}

function notOn(name: NetworkName, networks: readonly NetworkName[]): string {
  const there = networks.length === 0 ? '' : ` (there is ${networks.join(', ')})`
  return `${name} is not switched on${there}: set ${name}.enabled to true`
}

function targetProblems(section: WrittenSection): readonly string[] {
  const { accounts } = section.targets
  if (!Array.isArray(accounts)) return []
  const networks = networksOf(section)
  return accounts.flatMap((written: unknown, index) => {
    if (typeof written !== 'string') return []
    const place = `targets.accounts[${index}]`
    const unknown = unknownNetworkOf(written)
    if (unknown !== undefined) {
      return [
        `${place}: must begin with one of ${networkNames.join(', ')} before the colon${didYouMean(unknown, networkNames)}`,
      ]
    }
    const network = networkOfTarget(written)
    return network === undefined || networks.includes(network) ? [] : [`${place}: ${notOn(network, networks)}`]
  })
}
