import { utcText } from '@callboard/worker/utc-text'
import { blueskyOverlapMs, blueskySeenMax } from '../../limits.js'

/** A post as a cursor knows it. */
export interface Sighting {
  readonly uri: string
  /** UTC ms. */
  readonly at: number
}

/**
 * How far a list has been read: where to begin again, and what was seen from there on. A post is indexed some time after it
 * was written, so that what is new is not always newer.
 */
export interface SeenPosts {
  /** UTC ms. */
  readonly begin: number
  readonly uris: ReadonlySet<string>
}

/** Undefined for what is no cursor of ours: then reading begins anew. */
export function parseSeen(cursor: string | undefined): SeenPosts | undefined {
  if (cursor === undefined) return undefined
  const [time, ...uris] = cursor.split(' ')
  const begin = Date.parse(time!)
  return Number.isNaN(begin) ? undefined : { begin, uris: new Set(uris) }
}

export function isNew(seen: SeenPosts | undefined, { uri, at }: Sighting): boolean {
  return seen === undefined || (at >= seen.begin && !seen.uris.has(uri))
}

/** After an answer that listed these; undefined when it listed none. A time to come is taken for now. */
export function seenAfter(listed: readonly Sighting[], before: SeenPosts | undefined, now: number): string | undefined {
  if (listed.length === 0) return undefined
  const newestFirst = listed
    .map(({ uri, at }) => ({ uri, at: Math.min(at, now) }))
    .sort((one, other) => other.at - one.at)
  const wanted = Math.max(before?.begin ?? 0, newestFirst[0]!.at - blueskyOverlapMs)
  const tooMany = newestFirst.filter(({ at }) => at >= wanted)[blueskySeenMax]
  const begin = tooMany === undefined ? wanted : tooMany.at + 1
  return [utcText(begin), ...newestFirst.filter(({ at }) => at >= begin).map(({ uri }) => uri)].join(' ')
}
