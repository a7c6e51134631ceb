import { isNetworkName, type NetworkName } from './network-names.js'

/** One of `targets.accounts`. */
export interface TargetAccount {
  /** Absent: the default one. */
  readonly network?: NetworkName
  /** Id or handle, without @ before it. */
  readonly account: string
}

/** `ada.example`, `did:plc:x`, or with its network before it: `mastodon:ada@example.org`. */
export function targetAccount(written: string): TargetAccount {
  const [, network, account] = /^([a-z]+):@?(.+)$/.exec(written) ?? []
  return isNetworkName(network) && account !== undefined ? { network, account } : { account: written.replace(/^@/, '') }
}

/** What stands where a network's name would, and is none: of `mastodn:ada`. */
export function unknownNetworkOf(written: string): string | undefined {
  const [, network] = /^([^:@]*):/.exec(written) ?? []
  return network === undefined || network === 'did' || isNetworkName(network) ? undefined : network
}
