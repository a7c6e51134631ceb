export const networkNames = ['bluesky', 'mastodon', 'x', 'local'] as const
export type NetworkName = (typeof networkNames)[number]

/** Those that are somebody else's; in the order in which one becomes the default. */
export const remoteNetworkNames = ['bluesky', 'mastodon', 'x'] as const

export function isNetworkName(value: unknown): value is NetworkName {
  return (networkNames as readonly unknown[]).includes(value)
}
