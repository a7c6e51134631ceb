import type { NetworkName } from '../config.js'
import type { Foundation } from '../foundation.js'
import { openLocal } from './local/open-local.js'
import type { NetworkAdapter } from './network-adapter.js'
import { Networks } from './networks.js'

/** The adapters of all networks that are switched on; none of them is asked anything yet. */
export async function openNetworks(foundation: Foundation): Promise<Networks> {
  const [first, ...others] = foundation.config.networks
  return new Networks([
    await open(first, foundation),
    ...(await Promise.all(others.map((name) => open(name, foundation)))),
  ])
}

async function open(name: NetworkName, foundation: Foundation): Promise<NetworkAdapter> {
  const { config } = foundation
  switch (name) {
    case 'local':
      return openLocal({ handle: config.local.handle, foundation })
    default:
      throw new Error(`not yet: ${name}`)
  }
}
