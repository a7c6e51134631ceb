import { hashOfJson } from '@callboard/worker/canonical-json'

/** Equal input, equal choice. */
export function pickVariant<Item>(items: readonly Item[], ...input: readonly unknown[]): Item {
  return items[Number(BigInt(`0x${hashOfJson(input)}`) % BigInt(items.length))]!
}

/** 0 to 1, 1 excluded: chance for those who want the same one next time. */
export function fractionOf(...input: readonly unknown[]): number {
  return Number.parseInt(hashOfJson([input]).slice(0, 8), 16) / 2 ** 32
}
