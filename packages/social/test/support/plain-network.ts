import type { NetworkName } from '../../src/config.js'
import type { NetworkAdapter } from '../../src/networks/network-adapter.js'
import { Networks } from '../../src/networks/networks.js'
import type { LengthRule } from '../../src/text/length-rule.js'

export const lengthRules = {
  bluesky: { kind: 'graphemes', max: 300, bytesMax: 3_000 },
  mastodon: { kind: 'short-urls', max: 500, urlLength: 23 },
  x: { kind: 'weighted' },
  local: { kind: 'short-urls', max: 500, urlLength: 23 },
} as const satisfies Record<NetworkName, LengthRule>

/** A network that has a name and a length and can be asked nothing: every call to it throws, unless `own` has it. */
export function plainNetwork(name: NetworkName = 'local', own: Partial<NetworkAdapter> = {}): NetworkAdapter {
  const missing = (method: string) => () => {
    throw new Error(`${method}: this network can be asked nothing`)
  }
  return {
    name,
    lengthRule: lengthRules[name],
    capabilities: {
      tier: 'Open',
      canPost: true,
      canReply: true,
      canSearch: true,
      canDiscover: true,
      canAttach: true,
      replyRule: 'anybody',
      mediaMax: 4,
      mediaBytesMax: 1_000_000,
      altTextMax: 1_500,
    },
    rates: [],
    account: missing('account'),
    refresh: missing('refresh'),
    search: missing('search'),
    mentions: missing('mentions'),
    authorPosts: missing('authorPosts'),
    posts: missing('posts'),
    parseRef: missing('parseRef'),
    newPublishKey: missing('newPublishKey'),
    costOf: () => 0,
    replyPrefix: (author) => (name === 'mastodon' ? `@${author} ` : ''),
    prepare: missing('prepare'),
    publish: missing('publish'),
    find: missing('find'),
    remove: missing('remove'),
    check: missing('check'),
    renew: missing('renew'),
    ...own,
  }
}

/** The first one is the default. */
export function plainNetworks(...names: readonly [NetworkName, ...NetworkName[]]): Networks {
  const [first, ...others] = names
  return new Networks([plainNetwork(first), ...others.map((name) => plainNetwork(name))])
}
