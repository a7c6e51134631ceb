import { uriLengthMax } from '@callboard/protocol'
import { isObject } from '../broker/definition.js'
import { watchedCharactersMax, watchedUrisMax } from './limits.js'

/** Why these URIs are not watched together, as a sentence; undefined when they may be. They are kept for as long as that. */
export function watchProblem(uris: readonly string[]): string | undefined {
  if (uris.length > watchedUrisMax) return `at most ${watchedUrisMax} URIs are watched at once`
  if (uris.some((uri) => uri.length > uriLengthMax)) return `a URI has at most ${uriLengthMax} characters`
  const characters = uris.reduce((sum, uri) => sum + uri.length, 0)
  if (characters <= watchedCharactersMax) return undefined
  return `the URIs that are watched at once have at most ${watchedCharactersMax} characters together`
}

/** What the params of `subscriptions/listen` ask to watch; none for params that are wrong in another way. */
export function urisToWatch(params: unknown): readonly string[] {
  const filter = isObject(params) ? params['notifications'] : undefined
  const uris = isObject(filter) ? filter['resourceSubscriptions'] : undefined
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}
