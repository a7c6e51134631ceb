import { needsApproval } from '../approval/standing.js'
import type { SocialConfig } from './social-config.js'

/**
 * The configuration that is in force, as the section would have it written: for anyone's eyes. `approval_mode` is the
 * effective flag, and `default_network` the one that is meant where none is named.
 */
export function redactedConfig(config: SocialConfig): { readonly [key: string]: unknown } {
  const { isDefaultProfile, networks, ...section } = config
  const inForce = { ...section, approval_mode: needsApproval(config), default_network: networks[0] }
  return { ...(redactedValue(inForce) as object), is_default_profile: isDefaultProfile, networks }
}

/** Any JSON value, without what is secret by the name of its key, and without what URLs hold of users and queries. */
export function redactedValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutUrlSecrets(value)
  if (Array.isArray(value)) return value.map(redactedValue)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    isSecretName(key) && item !== undefined ? redaction : redactedValue(item),
  ])
  return Object.fromEntries(entries)
}

const redaction = '[redacted]'

/** By its words: `api_key` is secret, `product_keywords` is not. */
function isSecretName(key: string): boolean {
  return key.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).some((word) => secretWord.test(word))
}

const secretWord = /^(secret|token|password|key|authorization)s?$/i

function withoutUrlSecrets(text: string): string {
  return text.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, (address) =>
    address.replace(/[?#].*$/s, '').replace(/^([^/]+\/\/)[^/]*@/, '$1'),
  )
}
