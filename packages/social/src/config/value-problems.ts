import { placeOf, wordsOf } from '@callboard/worker/issue-words'
import { didYouMean } from '@callboard/worker/nearest-name'
import type { z } from 'zod'
import { socialConfigKeys } from './config-keys.js'

/** What is wrong with single keys, each as `section.key: sentence`; never a value, which may be a secret. */
export function valueProblems(error: z.ZodError, given: unknown): readonly string[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(issue.path, key))
    const missing = issue.path.length > 0 && valueAt(given, issue.path) === undefined
    return [`${placeOf(issue.path)}: ${missing ? 'must be set: ' : ''}${wordsOf(issue)}`]
  })
}

function unknownKey(path: readonly PropertyKey[], key: string): string {
  const section = placeOf(path)
  const siblings = keysIn(section)
  const near = didYouMean(key, siblings)
  const elsewhere = near === '' ? homeOf(key) : undefined
  const hint = elsewhere === undefined ? near : ` (did you mean ${elsewhere}?)`
  return `${placeOf([...path, shortened(key)])}: there is no such key${hint}`
}

const paths: readonly string[] = socialConfigKeys.map(({ path }) => path)

/** Of one section; of the whole with the empty name. */
function keysIn(section: string): readonly string[] {
  const before = section === '' ? '' : `${section}.`
  return paths
    .filter((path) => path.startsWith(before))
    .map((path) => path.slice(before.length))
    .filter((name) => !name.includes('.'))
}

/** The one key of that name, in whatever section it is. */
function homeOf(key: string): string | undefined {
  const homes = paths.filter((path) => path === key || path.endsWith(`.${key}`))
  return homes.length === 1 ? homes[0] : undefined
}

/** A key may be as long as the file, or have a secret in it: somebody wrote `"key=…"`. */
function shortened(key: string): string {
  return key.length > keyShownMax ? `${key.slice(0, keyShownMax)}…` : key
}

const keyShownMax = 60

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as { readonly [key: PropertyKey]: unknown })[key]
        : undefined,
    given,
  )
}
