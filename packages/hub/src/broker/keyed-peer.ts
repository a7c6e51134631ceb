import type { PeerId } from './events.js'

/** Stands before the routing id of whoever came in by a key: no byte of a routing id is this character. */
const mark = '\u26bf'

/** A peer of the socket for other machines: it has to sign in by key. */
export const keyedPeer = (routingId: string): PeerId => mark + routingId

export const isKeyedPeer = (peer: PeerId): boolean => peer.startsWith(mark)

/** As the peer itself knows it, byte for byte. */
export const routingIdOf = (peer: PeerId): string => (isKeyedPeer(peer) ? peer.slice(mark.length) : peer)
