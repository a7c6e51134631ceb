import type { PostRef } from '../network-adapter.js'
import { isTid } from './tid.js'

export const postCollection = 'app.bsky.feed.post'

/** Where a record is: `at://<repo>/<collection>/<rkey>`. */
export interface RecordPlace {
  /** DID or handle. */
  readonly repo: string
  readonly collection: string
  readonly rkey: string
}

/** Of a domain name; the server answers 500 to what is none. */
export function isHandle(text: string): boolean {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  return text.length <= 253 && new RegExp(`^(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`, 'i').test(text)
}

export function isDid(text: string): boolean {
  return text.length <= 512 && /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/.test(text)
}

/** DID, handle, or handle with @; undefined when it is neither. */
export function actorIn(text: string): string | undefined {
  const name = text.trim().replace(/^@/, '')
  if (isDid(name)) return name
  return isHandle(name) ? name.toLowerCase() : undefined
}

function uriOf({ repo, collection, rkey }: RecordPlace): string {
  return `at://${repo}/${collection}/${rkey}`
}

export function postUri(repo: string, rkey: string): string {
  return uriOf({ repo, collection: postCollection, rkey })
}

/** Undefined when it is no at:// URI of a record. */
export function placeOfUri(uri: string): RecordPlace | undefined {
  const match = /^at:\/\/([^/\s]+)\/([a-zA-Z0-9.-]+)\/([a-zA-Z0-9._~:-]{1,512})$/.exec(uri)
  const repo = actorIn(match?.[1] ?? '')
  return match === null || repo === undefined ? undefined : { repo, collection: match[2]!, rkey: match[3]! }
}

/** The post meant by an at:// URI or by a page of bsky.app; one that names a handle is looked up when it is read. */
export function postRefIn(text: string): PostRef | undefined {
  const given = text.trim()
  if (given.length > 2_048) return undefined
  const page = /^https:\/\/bsky\.app\/profile\/([^/\s?#]+)\/post\/([a-z0-9]+)\/?(?:[?#].*)?$/i.exec(given)
  const place =
    page === null ? placeOfUri(given) : { repo: actorIn(page[1]!), collection: postCollection, rkey: page[2]! }
  if (place?.repo === undefined || place.collection !== postCollection || !isTid(place.rkey)) return undefined
  return { id: postUri(place.repo, place.rkey) }
}

/** For people. A handle that the network could not verify is nobody's. */
export function pageOf(did: string, handle: string, rkey: string): string {
  return `https://bsky.app/profile/${isHandle(handle) && handle !== 'handle.invalid' ? handle : did}/post/${rkey}`
}
