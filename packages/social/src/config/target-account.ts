import { isNetworkName, type NetworkName } from './network-names.js'

/** The network that one of `targets.accounts` names before its account: of `mastodon:ada@example.org`. Absent: the default one. */
export function networkOfTarget(written: string): NetworkName | undefined {
  const word = wordBeforeColon(written)
  return isNetworkName(word) ? word : undefined
}

/** Handle or id of one of `targets.accounts`, without network and @. */
export function accountOfTarget(written: string): string {
  const network = networkOfTarget(written)
  const account = network === undefined ? written : written.slice(network.length + 1)
  return account.trim().replace(/^@/, '')
}

/** What stands where a network's name would, and is none: of `mastodn:ada`. An id like `did:plc:ada` has a colon, too. */
export function unknownNetworkOf(written: string): string | undefined {
  const word = wordBeforeColon(written)
  return word === undefined || word === 'did' || isNetworkName(word) ? undefined : word
}

const wordBeforeColon = (written: string): string | undefined => /^([^:@]*):/.exec(written)?.[1]?.toLowerCase()
