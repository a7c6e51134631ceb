import { pastedUrlMax } from '../../limits.js'
import type { PostRef } from '../network-adapter.js'

/** Mastodon's and Pleroma's ids, and those of GoToSocial. */
const id = String.raw`(?<id>\d{1,20}|[0-9A-HJKMNP-TV-Z]{26}|(?=[A-Za-z]*\d)[A-Za-z0-9]{18})`
const bareId = new RegExp(`^${id}$`)

/** Where a server shows a post, by the id that it has there. */
const ownPaths = [
  new RegExp(`^/(?:web/|deck/)?@[^/]+/(?:statuses/)?${id}$`),
  new RegExp(`^/(?:ap/)?users/[^/]+/statuses/${id}$`),
  new RegExp(`^/(?:web/|deck/)?statuses/${id}$`),
  new RegExp(`^/notice/${id}$`),
]
/** Also of servers that speak another API: Pleroma, Misskey. */
const foreignPaths = [...ownPaths, /^\/objects\/[0-9a-f-]{36}$/, /^\/notes\/[0-9a-z]{10,32}$/]

/**
 * The post that somebody's URL or id names. One that is shown elsewhere keeps its URL as id: only the server can say which id
 * it has here.
 */
export function statusRef(urlOrId: string, baseUrl: string): PostRef | undefined {
  const given = urlOrId.trim()
  if (given.length > pastedUrlMax) return undefined
  if (bareId.test(given)) return { id: given }
  if (!URL.canParse(given)) return undefined
  const url = new URL(given)
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  const path = url.pathname.replace(/\/$/, '')
  if (url.host === new URL(baseUrl).host) {
    const own = firstMatch(ownPaths, path)
    if (own !== undefined) return { id: own.groups!['id']! }
  }
  return firstMatch(foreignPaths, path) === undefined ? undefined : { id: `${url.origin}${path}` }
}

export function isAddress(id: string): boolean {
  return /^https?:\/\//.test(id)
}

function firstMatch(patterns: readonly RegExp[], path: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const match = pattern.exec(path)
    if (match !== null) return match
  }
  return undefined
}
