import type { AutopilotParts } from '../autopilot/autopilot.js'
import { ReplyPass } from '../autopilot/reply-pass.js'
import { contentLoop, threadLoop } from '../autopilot/writing-loops.js'
import type { DiscoveredPosts } from '../discovery/discovered-posts.js'
import { discoveryLoop } from '../discovery/discovery-loop.js'
import { mentionsLoop } from '../discovery/mentions-loop.js'
import { targetsLoop } from '../discovery/targets-loop.js'
import { followersLoop } from '../measurement/followers-loop.js'
import { measurementLoop } from '../measurement/measurement-loop.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Networks } from '../networks/networks.js'
import type { Loop } from './loop.js'

export interface SocialLoopParts extends Omit<AutopilotParts, 'network' | 'discovered'> {
  readonly networks: Networks
  readonly discovered: Pick<DiscoveredPosts, 'store' | 'feed'>
}

/** The loops that read, write and measure, for each network; in composer mode none of them knows the writer. */
export function socialLoops(parts: SocialLoopParts): readonly Loop[] {
  return parts.networks.all.flatMap((network) => loopsOf(parts, network))
}

function loopsOf(parts: SocialLoopParts, network: NetworkAdapter): readonly Loop[] {
  const { foundation, discovered } = parts
  const isAutopilot = foundation.config.mode === 'autopilot'
  const autopilot = { ...parts, network }
  const reading = {
    foundation,
    network,
    discovered,
    ...(isAutopilot && { replies: new ReplyPass(autopilot) }),
  }
  return [
    ...[discoveryLoop(reading), mentionsLoop(reading), targetsLoop(reading)].map(inItsHours),
    ...(isAutopilot ? [contentLoop(autopilot), threadLoop(autopilot)] : []),
    measurementLoop(foundation, network),
    followersLoop(foundation, network),
  ]

  /** Whoever tries the built-in network by night finds posts there, too: it only reads, and asks nobody. */
  function inItsHours(loop: Loop): Loop {
    return network.name === 'local' && !isAutopilot ? { ...loop, keepsHours: false } : loop
  }
}
