import { createHash } from 'node:crypto'
import type { DefinitionKind } from '@callboard/protocol'

/** A definition as far as agents can tell: what they are shown, and who is shown it. */
export interface ShownDefinition {
  readonly kind: DefinitionKind
  /** Absent: every role sees it. */
  readonly roles?: readonly string[] | undefined
  readonly listed: { readonly [key: string]: unknown }
}

/** SHA-256 in hex: equal for definitions that agents can't tell apart, in whatever order their keys come. */
export function definitionHash({ kind, roles, listed }: ShownDefinition): string {
  const seenBy = roles === undefined ? null : [...new Set(roles)].sort()
  return createHash('sha256')
    .update(canonicalJson([kind, seenBy, listed]))
    .digest('hex')
}

/** JSON without spaces and with keys in the order of their code units. The value must be JSON, no deeper than a definition is. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`)
  return `{${entries.join(',')}}`
}
