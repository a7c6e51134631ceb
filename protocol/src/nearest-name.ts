import { distance } from 'fastest-levenshtein'

/** Longer names are nobody's typing mistake, and the distance costs the product of both lengths. */
const lengthMax = 64

/**
 * The name that was most likely meant, if one is near: at most two fifths of it may differ, so that a swap counts in a short one. Of no use on the wire; it is
 * here because hub, SDK and command line answer a half-typed name alike.
 */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length > lengthMax) return undefined
  let nearest: string | undefined
  let least = Math.max(1, Math.round(wanted.length * 0.4)) + 1
  for (const name of names) {
    if (name.length > lengthMax || Math.abs(name.length - wanted.length) >= least) continue
    const away = distance(wanted.toLowerCase(), name.toLowerCase())
    if (away >= least) continue
    nearest = name
    least = away
  }
  return nearest
}

/** For the end of a sentence: ` (did you mean x?)`, or nothing. */
export function didYouMean(wanted: string, names: Iterable<string>): string {
  const nearest = nearestName(wanted, names)
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`
}
