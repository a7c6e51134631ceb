import type { UnitSpan } from './unit-span.js'

export interface LikelyRegion extends UnitSpan {
  /** Groups of three units in it that the quote has, too. */
  readonly shared: number
}

/**
 * Parts of a text that may hold a quote with at most so many errors, likeliest first. None is missed: each error spoils at
 * most three of the quote's groups of three, and every match lies in two neighbouring stretches of its greatest length.
 */
export function likelyRegions(text: string, quote: string, errorsMax: number): LikelyRegion[] {
  const stretchLength = quote.length + errorsMax
  const shared = sharedGroups(text, quote, stretchLength)
  const regions: LikelyRegion[] = []
  for (let stretch = 0; stretch < shared.length; stretch += 1) {
    const count = shared[stretch]! + (shared[stretch + 1] ?? 0)
    if (count < groupsLeft(quote, errorsMax) || count === 0) continue
    const start = stretch * stretchLength
    regions.push({ start, end: Math.min(start + 2 * stretchLength, text.length), shared: count })
  }
  return regions.sort((one, other) => other.shared - one.shared || one.start - other.start)
}

/** How many of a quote's groups a passage with so many errors has at least. */
export function groupsLeft(quote: string, errors: number): number {
  return quote.length - 2 - 3 * errors
}

function sharedGroups(text: string, quote: string, stretchLength: number): Uint32Array {
  const known = new Uint8Array(0x1_00_00)
  eachGroup(quote, (group) => {
    known[group] = 1
  })
  const shared = new Uint32Array(Math.ceil(text.length / stretchLength))
  let stretch = 0
  let stretchEnd = stretchLength
  eachGroup(text, (group, start) => {
    if (start >= stretchEnd) {
      stretch += 1
      stretchEnd += stretchLength
    }
    shared[stretch]! += known[group]!
  })
  return shared
}

/** Groups as numbers of 16 bits. Two may share one: then a region looks likelier than it is, never less so. */
function eachGroup(text: string, take: (group: number, start: number) => void): void {
  let first = text.charCodeAt(0)
  let second = text.charCodeAt(1)
  for (let at = 2; at < text.length; at += 1) {
    const third = text.charCodeAt(at)
    take((first * 961 + second * 31 + third) & 0xff_ff, at - 2)
    first = second
    second = third
  }
}
