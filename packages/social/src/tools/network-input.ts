import { type NetworkName, networkNames } from '../config.js'
import type { ExtraMeta } from '../envelope/envelope.js'
import { oneOf } from './one-of.js'

/** Of a tool that is about one network. */
export const networkInput = oneOf(networkNames).optional().describe('Which network. Default: the default network.')
/** Of a tool that answers for all of them. */
export const networkFilter = oneOf(networkNames).optional().describe('Only this network. Default: all.')
/** Of a tool that is about one item, which has its network. */
export const itemNetworkInput = oneOf(networkNames)
  .optional()
  .describe('The network that the item is for; of an item for another one: not_found.')

type Backend = Pick<ExtraMeta, 'provider_backend'>

/** The built-in network says that it is one: a reply that has to do with it is marked. */
export function backendOf(...networks: readonly (string | null | undefined)[]): Backend {
  return networks.includes('local') ? { provider_backend: 'local' } : {}
}

/** The same where any network could be meant: by the one that was asked for, else by all that are on and by what was found. */
export function backendOfAll(
  switchedOn: readonly NetworkName[],
  asked: NetworkName | undefined,
  found: readonly { readonly network: string | null }[] = [],
): Backend {
  if (asked !== undefined) return backendOf(asked)
  const isAlone = switchedOn.every((name) => name === 'local')
  return backendOf(isAlone ? 'local' : undefined, ...found.map(({ network }) => network))
}
