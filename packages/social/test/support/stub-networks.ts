import type { NetworkName } from '../../src/config.js'
import type { NetworkAdapter } from '../../src/networks/network-adapter.js'
import { Networks } from '../../src/networks/networks.js'

/** Networks for what asks only for their names. */
export function stubNetworks(...names: readonly [NetworkName, ...NetworkName[]]): Networks {
  const [first, ...rest] = names.map((name) => ({ name }) as NetworkAdapter)
  return new Networks([first!, ...rest])
}
