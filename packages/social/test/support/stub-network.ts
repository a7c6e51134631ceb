import type { NetworkName } from '../../src/config.js'
import type { Capabilities, NetworkAdapter, RateState } from '../../src/networks/network-adapter.js'
import type { LengthRule } from '../../src/text/length-rule.js'

export interface StubNetworkOptions {
  readonly name?: NetworkName
  readonly capabilities?: Partial<Capabilities>
  readonly lengthRule?: LengthRule
  readonly rates?: readonly RateState[]
  readonly check?: NetworkAdapter['check']
}

const open: Capabilities = {
  tier: 'Open',
  canPost: true,
  canReply: true,
  canSearch: true,
  canDiscover: true,
  canAttach: true,
  replyRule: 'anyone',
  mediaMax: 4,
  mediaBytesMax: 1_000_000,
  altTextMax: 1_500,
}

/** A network that says of itself what a test wants, and does nothing: what is asked of it beyond that fails the test. */
export function stubNetwork(options: StubNetworkOptions = {}): NetworkAdapter {
  const { name = 'local', capabilities = {}, rates = [] } = options
  const own: Partial<NetworkAdapter> = {
    name,
    capabilities: { ...open, ...capabilities },
    lengthRule: options.lengthRule ?? { kind: 'short-urls', max: 500, urlLength: 23 },
    rates,
    check: options.check ?? (async () => ({ status: 'ok', message: `${name} answers.` })),
  }
  return new Proxy(own as NetworkAdapter, {
    get(target, key, receiver) {
      if (key in target) return Reflect.get(target, key, receiver)
      throw new Error(`the stub of ${name} has no ${String(key)}`)
    },
  })
}
