import type { NetworkAdapter } from '../networks/network-adapter.js'
import { measure } from '../text/measure.js'

/** With what a reply to that author begins there; empty where nothing is needed, or where the author is no account's name. */
export function replyPrefix(network: NetworkAdapter, author: string): string {
  const name = author.trim().replace(/^@/, '')
  return /^[\p{L}\p{N}_.-]+(@[\p{L}\p{N}.-]+(:\d+)?)?$/u.test(name) ? network.replyPrefix(name) : ''
}

/** How much of the network's limit is left behind it, in the network's unit. */
export function roomBehind(prefix: string, { lengthRule }: NetworkAdapter): number {
  const { limit, count } = measure(prefix === '' ? 'x' : prefix, lengthRule)
  return prefix === '' ? limit : Math.max(1, limit - count)
}
