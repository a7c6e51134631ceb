import { defaultProfile } from './config/default-profile.js'
import { networksOf } from './config/networks-of.js'
import { relationProblems } from './config/relation-problems.js'
import { sectionSchema, type WrittenSection } from './config/section-schema.js'
import { type SocialConfig, SocialConfigError } from './config/social-config.js'
import { valueProblems } from './config/value-problems.js'

export { type ConfigKey, type KeyKind, socialConfigKeys } from './config/config-keys.js'
export { type NetworkName, networkNames } from './config/network-names.js'
export { readSecrets, secretFileProblems } from './config/read-secrets.js'
export { redactedConfig, redactedValue } from './config/redacted-config.js'
export type { Business } from './config/section-schema.js'
export { type SocialConfig, SocialConfigError } from './config/social-config.js'

/** The section `social` of callboard.config.json; absent means the defaults. Throws a SocialConfigError. */
export function parseSocialConfig(section: unknown): SocialConfig {
  const given = section ?? {}
  const parsed = sectionSchema.safeParse(given)
  const problems = parsed.success
    ? relationProblems(parsed.data)
    : [...valueProblems(parsed.error, given), ...relationProblems(readable(given))]
  if (problems.length > 0) throw new SocialConfigError([...new Set(problems)].map(withSection))
  const written = parsed.data as WrittenSection
  return deepFrozen({
    ...written,
    business: written.business ?? defaultProfile,
    isDefaultProfile: written.business === undefined,
    networks: networksOf(written) as SocialConfig['networks'],
  })
}

/** A problem begins with its place in the section, or with a colon where it is about the section itself. */
const withSection = (problem: string): string => (problem.startsWith(':') ? `social${problem}` : `social.${problem}`)

/** What can be read of a section with mistakes in it: a value that was refused is there all the same, nobody is told that it is missing. */
function readable(given: unknown): WrittenSection {
  const defaults = sectionSchema.parse({})
  if (!isObject(given)) return defaults
  const keys = Object.keys(sectionSchema.shape) as readonly (keyof WrittenSection)[]
  const merged = keys.map((key) => {
    const [own, usual] = [given[key] ?? undefined, defaults[key]]
    if (key === 'business') return [key, own]
    return [key, isObject(usual) ? { ...usual, ...(isObject(own) ? withoutNulls(own) : {}) } : (own ?? usual)]
  })
  return Object.fromEntries(merged)
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutNulls(section: { readonly [key: string]: unknown }): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null && value !== undefined))
}

function deepFrozen<Value extends object>(value: Value): Value {
  for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) deepFrozen(item)
  return Object.freeze(value)
}
