import type { ArgumentCheck } from './argument-schema.js'

/** `hide`: it does not exist. `show`: it is listed, and using it is refused. `call`: it is as without a policy. */
export const effects = ['hide', 'show', 'call'] as const
export type Effect = (typeof effects)[number]

/** How the arguments of a call are recorded, where calls are. */
export type AuditMode =
  | { readonly kind: 'none' | 'hash' | 'full' }
  /** Whole but for the values of these keys, wherever they are, and those that these JSON pointers lead to. */
  | { readonly kind: 'redacted'; readonly keys: readonly string[]; readonly pointers: readonly string[] }

/** Calls that may be made in a time. */
export interface RateLimit {
  /** The same for rules that say the same: what was counted for one before a reload counts after it. */
  readonly key: string
  readonly calls: number
  readonly perMs: number
  /** At once, by somebody who made none for long. */
  readonly burst: number
  /** Whose calls are counted together. */
  readonly each: 'principal' | 'session' | 'all'
}

/** What becomes of a use of something. */
export interface Verdict {
  readonly effect: Effect
  /** Arguments with which it may be called; undefined: any. */
  readonly when: ArgumentCheck | undefined
  readonly rate: RateLimit | undefined
  /** Undefined: as the journal's configuration says. */
  readonly audit: AuditMode | undefined
}

export interface Decision extends Verdict {
  /** Undefined: no rule matched. */
  readonly rule: Rule | undefined
}

export interface Rule extends Verdict {
  /** From 1, in the order of the file. */
  readonly number: number
  readonly id: string | undefined
  /** `*`, patterns of principals, names of roles. */
  readonly who: readonly string[]
  readonly services: readonly string[] | undefined
  readonly tools: readonly string[] | undefined
  readonly prompts: readonly string[] | undefined
  /** Also of templates: what a client reads is held against them, and the template itself. */
  readonly resources: readonly string[] | undefined
}
