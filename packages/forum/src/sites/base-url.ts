import { ForumFailure } from '../failure/forum-failure.js'
import { baseLengthMax, encodingsMax } from '../limits.js'

/**
 * The base of a forum as everything knows it: scheme, host in lower case, port unless it is the usual one, path without a slash
 * at its end. Query and fragment are dropped. Throws a ForumFailure (`invalid_arguments`) for what can be none.
 */
export function baseOf(url: string): string {
  const parsed = url.length <= baseLengthMax ? parse(url) : undefined
  if (!/^\s*https?:/i.test(url)) throw unusable('It does not begin with https:// or http://')
  if (parsed === undefined) throw unusable('It is not a URL that a forum could have')
  if (hasUserInfo(parsed)) {
    throw unusable('It has a user name or password in it; those belong into an entry of auth_pairs')
  }
  if (leavesItsPath(parsed.pathname)) throw unusable('Its path has encoded dots or slashes that lead out of it')
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/** Scheme, host and port of a base. */
export function originOf(base: string): string {
  return new URL(base).origin
}

/** What stands between the origin and the paths of a forum: nothing, or `/forum`. */
export function pathOf(base: string): string {
  return base.slice(originOf(base).length)
}

/**
 * Whether a URL is the base or something in it, so that what belongs to this forum may go there: `/forumA` does not contain
 * `/forumAB`, and no dots, however they are encoded, lead out.
 */
export function isBelow(base: string, url: string): boolean {
  const parsed = parse(url)
  if (parsed === undefined || hasUserInfo(parsed) || parsed.origin !== originOf(base)) return false
  if (leavesItsPath(parsed.pathname)) return false
  const path = pathOf(base)
  return parsed.pathname === path || parsed.pathname.startsWith(`${path}/`)
}

/** Whether nobody on the way can read what is sent there: encrypted, or to this very machine. */
export function isPrivateWay(base: string): boolean {
  const { protocol, hostname } = new URL(base)
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

/**
 * Whether a server may read a path as one that leads upwards. The path of a parsed URL has no plain dots any more; what is left
 * is encoded, perhaps more than once, or followed by parameters of the segment.
 */
export function leavesItsPath(path: string): boolean {
  let decoded = path
  for (let round = 0; round < encodingsMax; round += 1) {
    const segments = decoded.split(/[/\\]/)
    if (segments.some((segment) => /^\.\.?(;|$)/.test(segment))) return true
    const next = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === decoded) return false
    decoded = next
  }
  return true
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined
}

function hasUserInfo({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

function unusable(why: string): ForumFailure {
  return new ForumFailure(
    'invalid_arguments',
    `This address can not be used. ${why}. Give the forum's address as a browser shows it, for example https://meta.discourse.org.`,
  )
}
