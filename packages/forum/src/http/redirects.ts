import { ForumFailure } from '../failure/forum-failure.js'
import { isBelow, originOf, pathOf } from '../sites/base-url.js'
import { addAuthPair } from './answer-failure.js'

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Where an answer sends us: as it is written; undefined: nowhere. */
export function redirectOf(status: number, headers: Headers): string | undefined {
  return statuses.has(status) ? (headers.get('location') ?? undefined) : undefined
}

/** The URL to read in place of `from`. Throws a ForumFailure where that is none of this forum. */
export function followedUrl(base: string, from: string, location: string, status: number): string {
  const target = targetOf(from, location)
  if (target !== undefined && isLogin(base, target)) throw loginWanted(status)
  if (target === undefined || !isBelow(base, target.href)) throw redirectRefused(target, status)
  return target.href
}

/** Why a write that was redirected is not sent there. */
export function redirectedWrite(base: string, from: string, location: string, status: number): ForumFailure {
  const target = targetOf(from, location)
  return target !== undefined && isLogin(base, target) ? loginWanted(status) : redirectRefused(target, status)
}

/** More redirects than anybody needs, or in a circle. */
export function redirectsWithoutEnd(url: string, status: number): ForumFailure {
  return new ForumFailure(
    'redirect_refused',
    `The forum redirects too often, or in a circle; the last time to ${shown(new URL(url))}. Its operator must correct that.`,
    { status },
  )
}

function targetOf(from: string, location: string): URL | undefined {
  if (!URL.canParse(location, from)) return undefined
  const target = new URL(location, from)
  target.hash = ''
  return target
}

/** Of this forum, whose path a proxy may have left out. */
function isLogin(base: string, { origin, pathname }: URL): boolean {
  return origin === originOf(base) && [`${pathOf(base)}/login`, '/login'].includes(pathname)
}

function loginWanted(status: number): ForumFailure {
  return new ForumFailure(
    'not_authenticated',
    'The forum shows this only to those who are logged in. Use a forum for which the operator has added a key.',
    { status, hint: addAuthPair },
  )
}

function redirectRefused(target: URL | undefined, status: number): ForumFailure {
  const where = target === undefined ? 'an address that is none' : shown(target)
  return new ForumFailure(
    'redirect_refused',
    `The forum redirects to ${where}, and this worker does not go there. If the forum has moved there, select that address.`,
    { status },
  )
}

/** Without user, password and query, which may be secrets. */
function shown({ protocol, host, pathname }: URL): string {
  const length = 300
  return `${protocol}//${host}${pathname}`.slice(0, length)
}
