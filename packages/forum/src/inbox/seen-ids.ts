import { lateIdsMax } from '../limits.js'

/**
 * Which ids a reader has had: all up to one, except those of the last few that were not to be seen. A forum gives an id before
 * the post can be read, so a higher one may be there first; and what was hidden may be shown later.
 */
export interface SeenIds {
  readonly upTo: number
  /** Ascending, below `upTo` by less than `lateIdsMax`. */
  readonly missing: readonly number[]
}

export function isUnseen({ upTo, missing }: SeenIds, id: number): boolean {
  return id > upTo || missing.includes(id)
}

export function lowestUnseen({ upTo, missing }: SeenIds): number {
  return missing[0] ?? upTo + 1
}

/** After `given` has been read, when all that can be seen up to `through` is in it or was seen before. */
export function seenAfter(seen: SeenIds, given: readonly number[], through: number): SeenIds {
  const upTo = Math.max(seen.upTo, through)
  const missing: number[] = []
  for (let id = Math.max(1, upTo - lateIdsMax + 1); id <= upTo; id += 1) {
    if (isUnseen(seen, id) && !given.includes(id)) missing.push(id)
  }
  return { upTo, missing }
}
