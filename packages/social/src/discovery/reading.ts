import type { ReplyPass } from '../autopilot/reply-pass.js'
import type { Foundation } from '../foundation.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { DiscoveredPosts } from './discovered-posts.js'

/** What the loops that read a network are made of. */
export interface Reading {
  readonly foundation: Foundation
  readonly network: NetworkAdapter
  readonly discovered: Pick<DiscoveredPosts, 'store'>
  /** What follows on a reading, in mode autopilot; in composer mode there is none. */
  readonly replies?: Pick<ReplyPass, 'run'>
}
