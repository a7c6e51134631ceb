import { blueskyOverlapMs, blueskySeenMax } from '../../limits.js'
import { utcText } from '../../utc-text.js'

/** A post as a cursor knows it. */
export interface Sighting {
  readonly uri: string
  /** UTC ms. */
  readonly at: number
}

/**
 * How far a list has been read: up to a time, and what was seen shortly before it. A post is indexed some time after it was
 * written, so that what is new is not always newer.
 */
export interface SeenPosts {
  readonly time: number
  readonly uris: ReadonlySet<string>
}

/** Undefined for what is no cursor of ours: then reading begins anew. */
export function parseSeen(cursor: string | undefined): SeenPosts | undefined {
  if (cursor === undefined) return undefined
  const [time, ...uris] = cursor.split(' ')
  const at = Date.parse(time!)
  return Number.isNaN(at) ? undefined : { time: at, uris: new Set(uris) }
}

/** Where reading begins again. UTC ms. */
export function beginOf({ time }: SeenPosts): number {
  return time - blueskyOverlapMs
}

export function isNew(seen: SeenPosts | undefined, { uri, at }: Sighting): boolean {
  return seen === undefined || (at >= beginOf(seen) && !seen.uris.has(uri))
}

/** After an answer that listed these; undefined when it listed none. A time to come is not believed. */
export function seenAfter(listed: readonly Sighting[], before: SeenPosts | undefined, now: number): string | undefined {
  if (listed.length === 0) return undefined
  const newest = Math.max(before?.time ?? 0, ...listed.map(({ at }) => Math.min(at, now)))
  const recent = listed
    .filter(({ at }) => at >= newest - blueskyOverlapMs)
    .sort((one, other) => other.at - one.at)
    .slice(0, blueskySeenMax)
  return [utcText(newest), ...recent.map(({ uri }) => uri)].join(' ')
}
