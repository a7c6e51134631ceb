import { type NetworkName, remoteNetworkNames } from './network-names.js'
import type { WrittenSection } from './section-schema.js'

type Switches = Pick<WrittenSection, 'bluesky' | 'mastodon' | 'x' | 'local' | 'default_network'>

/** Those that are switched on, the default one first. The built-in one is on while no other is, unless the section says otherwise. */
export function networksOf(section: Switches): readonly NetworkName[] {
  // Only `true` counts: the section may have mistakes in it.
  const remote = remoteNetworkNames.filter((name) => section[name].enabled === true)
  const isLocalOn = section.local.enabled ?? remote.length === 0
  const all: readonly NetworkName[] = isLocalOn ? [...remote, 'local'] : remote
  const first = all.find((name) => name === section.default_network)
  return first === undefined ? all : [first, ...all.filter((name) => name !== first)]
}
