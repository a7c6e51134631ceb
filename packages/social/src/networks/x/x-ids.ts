import type { NetworkPost } from '../network-adapter.js'

/** Undefined for what is no id of X. */
export function idIn(text: string | undefined): string | undefined {
  return text !== undefined && /^[1-9]\d{0,18}$/.test(text) ? text : undefined
}

export function newestFirst(one: NetworkPost, other: NetworkPost): number {
  return BigInt(one.ref.id) < BigInt(other.ref.id) ? 1 : -1
}

export function newestOf(ids: readonly string[]): string | undefined {
  return ids.reduce<string | undefined>((newest, id) => {
    return newest === undefined || BigInt(id) > BigInt(newest) ? id : newest
  }, undefined)
}

/** Ids of X hold the time at which they were given. UTC ms. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + 1_288_834_974_657
}
