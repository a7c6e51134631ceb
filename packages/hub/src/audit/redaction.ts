import { redactionDepthMax, secretLengthMin } from './limits.js'

/** Takes secrets out of values that are to be recorded. */
export interface Redaction {
  /** Those that the hub knows, wherever they occur; `byKey`: also whatever stands under a name that says it is secret. */
  redact(value: unknown, byKey: boolean): unknown
}

export function redactionOf(secrets: readonly string[]): Redaction {
  // The longest first: one may begin with another.
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= secretLengthMin)
    .sort((one, other) => other.length - one.length)
  const clean = (text: string) =>
    known.reduce((rest, secret) => rest.replaceAll(secret, redacted), text).replace(tokenPattern, redacted)
  const walk = (value: unknown, byKey: boolean, depth: number): unknown => {
    if (typeof value === 'string') return clean(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= redactionDepthMax) return redacted
    if (Array.isArray(value)) return value.map((each) => walk(each, byKey, depth + 1))
    const members = Object.entries(value).map(([key, each]): [string, unknown] => [
      clean(key),
      byKey && isSecretName(key) ? redacted : walk(each, byKey, depth + 1),
    ])
    return Object.fromEntries(members)
  }
  return { redact: (value, byKey) => walk(value, byKey, 0) }
}

/** What the environment holds under names of secrets, and the passwords in its URLs. */
export function environmentSecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const password = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^@\s]+)@/i.exec(value)?.[1]
    // A file's name is no secret, and whoever reads the journal wants to see it.
    const isSecret = isSecretName(name) && !/_(?:FILE|PATH|DIR)$/.test(name)
    return [...(isSecret ? [value] : []), ...(password === undefined ? [] : [password, decoded(password)])]
  })
}

/** Stands where something was left out. */
export const redacted = '[redacted]'

/** Tokens that the hub or a worker made, which the hub itself keeps only as hashes. */
const tokenPattern = /cb[tr]_[A-Za-z0-9_-]{16,}/g

const secretWords =
  /(?:^|[_-])(?:password|passwd|passphrase|pwd|token|secret|authorization|api[_-]?key|private[_-]?key|access[_-]?key|credentials?|cookie)s?(?:$|[_-])/i

/** `camelCase` is read as `camel_Case`. */
const isSecretName = (name: string): boolean => secretWords.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2'))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
