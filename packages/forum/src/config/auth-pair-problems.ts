import { isRecord, type JsonRecord } from '../json/read-json.js'
import type { AuthPair } from './auth-pair.js'
import type { KeyProblem } from './section-problems.js'
import { siteUrl } from './site-url.js'

/** What belongs together, and where the other half is found. */
const halves: readonly (readonly [half: keyof AuthPair, other: keyof AuthPair, remedy: string])[] = [
  ['api_key', 'api_username', 'the user as whom the key acts, e.g. system'],
  ['api_username', 'api_key', 'the key that an admin of the forum makes under /admin/api/keys'],
  ['user_api_key', 'user_api_client_id', 'the client_id with which the key was asked for'],
  ['user_api_client_id', 'user_api_key', 'the key that the forum gave for it'],
  ['http_basic_user', 'http_basic_pass', 'the password of that user'],
  ['http_basic_pass', 'http_basic_user', 'the user whose password it is'],
]

const identities = ['api_key', 'api_username', 'user_api_key', 'user_api_client_id'] as const

/** What one field of `auth_pairs` means for another, also where there are other mistakes. */
export function authPairProblems(pairs: unknown): readonly KeyProblem[] {
  if (!Array.isArray(pairs)) return []
  const own = pairs.flatMap((pair: unknown, index) => (isRecord(pair) ? incompletePair(pair, index) : []))
  return [...own, ...repeatedSites(pairs)]
}

function incompletePair(pair: JsonRecord, index: number): readonly KeyProblem[] {
  const has = (name: string) => pair[name] !== undefined
  if (!identities.some(has)) {
    return [problem(index, '', 'must have api_key with api_username, or user_api_key with user_api_client_id')]
  }
  return halves
    .filter(([half, other]) => has(half) && !has(other))
    .map(([half, other, remedy]) => problem(index, `.${other}`, `must be set beside ${half}: ${remedy}`))
}

/** Which of two entries is meant nobody can tell. */
function repeatedSites(pairs: readonly unknown[]): readonly KeyProblem[] {
  const bases = pairs.map((pair) => (isRecord(pair) ? siteUrl.safeParse(pair['site']).data : undefined))
  return bases.flatMap((base, index) => {
    const first = bases.indexOf(base)
    if (base === undefined || first === index) return []
    return [problem(index, '.site', `is the same forum as auth_pairs[${first}]: there must be one entry for it`)]
  })
}

function problem(index: number, field: string, sentence: string): KeyProblem {
  return { key: 'auth_pairs', place: `auth_pairs[${index}]${field}`, sentence }
}
