import type { Definitions } from '@callboard/protocol'
import { type Candidate, candidates, literalPrefix } from './definition.js'
import type { Verdict } from './refusals.js'

/** What the bearer of a worker's key may offer. */
export interface Authorization {
  /** Whose key it is. Several keys may have one name. */
  readonly name: string
  readonly services: readonly string[]
  /** Patterns for the names of tools and prompts, as the worker has them. */
  readonly tools: readonly string[]
  /** Patterns for URIs. */
  readonly resources: readonly string[]
  readonly trusted: boolean
}

/** The keys that workers may sign in with, as they are now. */
export interface KeyBook {
  /** For whoever comes in. Undefined: unknown, expired or revoked. */
  find(key: string): Authorization | undefined
  /** For whoever is in: the same, but that a list which can't be read takes nothing away. */
  standing(key: string): Authorization | undefined
  /** Whether the list has the key and its time is over. */
  hasExpired(key: string): boolean
  /** What the key makes together with the hub's own; undefined for what is no key. */
  sharedSecret(key: string): Uint8Array | undefined
}

/** Takes out what the key does not allow, each with its verdict; everything else is offered. [CB-107] */
export function authorize(
  definitions: Definitions,
  authorization: Authorization | undefined,
): { readonly allowed: Definitions; readonly refused: readonly Verdict[] } {
  if (authorization === undefined || allowsAll(authorization)) return { allowed: definitions, refused: [] }
  const refused = new Set(candidates(definitions).filter((each) => !allows(authorization, each)))
  if (refused.size === 0) return { allowed: definitions, refused: [] }
  const values = new Set<unknown>([...refused].map(({ value }) => value))
  const keep = (list: readonly unknown[] = []) => list.filter((value) => !values.has(value))
  const { tools, resources, resourceTemplates, prompts } = definitions
  const kept = { tools: keep(tools), resources: keep(resources), resourceTemplates: keep(resourceTemplates) }
  const allowed = { ...definitions, ...kept, prompts: keep(prompts) } as Definitions
  return { allowed, refused: [...refused].map((each) => verdict(each, authorization)) }
}

export function allows({ tools, resources }: Authorization, { kind, key }: Pick<Candidate, 'kind' | 'key'>): boolean {
  if (kind === 'resource') return resources.some((pattern) => fits(key, pattern))
  if (kind !== 'resourceTemplate') return tools.some((pattern) => fits(key, pattern))
  // Whatever the expressions become, the pattern must cover it.
  return resources.some((pattern) => pattern.endsWith('*') && fits(literalPrefix(key), pattern))
}

/** Whether a worker that signed in under the one may go on under the other. */
export function isSameAuthorization(one: Authorization, other: Authorization, service: string): boolean {
  const isSame = (key: 'tools' | 'resources') => one[key].join('\n') === other[key].join('\n')
  const { name, trusted, services } = other
  return (
    one.name === name && one.trusted === trusted && services.includes(service) && isSame('tools') && isSame('resources')
  )
}

const allowsAll = ({ tools, resources }: Authorization): boolean => tools.includes('*') && resources.includes('*')

function verdict({ kind, key }: Candidate, { name }: Authorization): Verdict {
  const what = kind === 'tool' || kind === 'prompt' ? 'tools' : 'resources'
  const message = `the key of ${name} does not allow it: an operator adds it to ${what}= of the key, or the worker drops it`
  return { kind, name: key.slice(0, 128), code: 'not_authorized', message }
}

/** `*` stands for any characters, or none. In time that is at most the product of both lengths. */
export function fits(text: string, pattern: string): boolean {
  let [at, next, star, retryAt] = [0, 0, -1, 0]
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++
      retryAt = at
    } else if (pattern[next] === text[at]) {
      next++
      at++
    } else if (star >= 0) {
      next = star + 1
      at = ++retryAt
    } else return false
  }
  while (pattern[next] === '*') next++
  return next === pattern.length
}
