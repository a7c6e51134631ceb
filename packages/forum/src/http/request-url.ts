import { ForumFailure } from '../failure/forum-failure.js'
import { isBelow, leavesItsPath, pathOf } from '../sites/base-url.js'
import type { Query } from './site-client.js'

/** Of a path below a base. Throws a ForumFailure (`invalid_arguments`) where a part of the path, which agents give, leads out. */
export function requestUrl(base: string, path: string, query: Query): string {
  const encoded = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodedText(`${value}`)}`)
  const url = `${base}${path}${encoded.length === 0 ? '' : `?${encoded.join('&')}`}`
  if (!path.startsWith('/') || leavesItsPath(path) || !isBelow(base, url)) {
    throw new ForumFailure(
      'invalid_arguments',
      'A name in this call would lead to another part of the forum. Names and keys have no parts that are only dots.',
    )
  }
  return url
}

/** A name as one part of a path. */
export function pathPart(name: string): string {
  return encodedText(name)
}

/** Half of a character, which no encoding has, becomes the sign for one that is unknown. */
function encodedText(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
}

/** What a forum limits by itself: the method, and the first part of the path. */
export function actionOf(method: string, base: string, url: string): string {
  const path = new URL(url).pathname.slice(pathOf(base).length)
  const first = path.split('/')[1] ?? ''
  return `${method} ${first.replace(/\.json$/, '')}`
}
