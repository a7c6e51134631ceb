import { expireItems } from '../approval/expire-items.js'
import type { DiscoveredPosts } from '../discovery/discovered-posts.js'
import type { Foundation } from '../foundation.js'
import { expiryMs, pruneMs, rescoreChunk, rescoreMs, tokenRefreshMs } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Networks } from '../networks/networks.js'
import { pruneOld } from '../records/prune.js'
import type { Loop } from './loop.js'

export interface UpkeepParts {
  readonly foundation: Foundation
  readonly networks: Networks
  readonly discovered: Pick<DiscoveredPosts, 'rescore'>
}

/** What has to be done at all hours, whoever sleeps. */
export function upkeepLoops({ foundation, networks, discovered }: UpkeepParts): readonly Loop[] {
  const everywhere = { network: '', keepsHours: false }
  return [
    {
      ...everywhere,
      name: 'expiry',
      everyMs: expiryMs,
      turn: (signal) => untilNone(() => expireItems(foundation), signal),
    },
    {
      ...everywhere,
      name: 'rescore',
      everyMs: rescoreMs,
      turn: (signal) => untilNone(() => discovered.rescore(rescoreChunk), signal),
    },
    { ...everywhere, name: 'prune', everyMs: pruneMs, turn: () => pruneOld(foundation) },
    ...networks.all.filter(({ name }) => name !== 'local').map(renewal),
  ]
}

function renewal(network: NetworkAdapter): Loop {
  return {
    name: 'tokens',
    network: network.name,
    everyMs: tokenRefreshMs,
    keepsHours: false,
    turn: async (signal) => {
      await network.renew(signal)
      await network.refresh(signal)
    },
  }
}

/** In pieces, so that others get their turn at the database. */
async function untilNone(work: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await work()) > 0) {}
}
