import type { SocialConfig } from '../config.js'
import type { Database } from '../records/schema.js'

export const limitedActions = ['reply', 'tweet', 'thread', 'search', 'mention_check', 'mcp_mutation'] as const
export type LimitedAction = (typeof limitedActions)[number]

/** At most `max` events in any window of that length. */
export interface LimitRule {
  readonly action: LimitedAction
  readonly max: number
  readonly windowMs: number
}

/** What counts against a limit: an action on a network (or, for `mcp_mutation`, of a principal). */
export interface LedgerEvent {
  readonly action: LimitedAction
  /** Empty for `mcp_mutation`. */
  readonly network: string
  readonly principal?: string
  readonly authorId?: string
  readonly outboxId?: number
  /** When it counts: its due time while it is only reserved. */
  readonly at: number
}

export interface Budget extends LimitRule {
  readonly used: number
  readonly reserved: number
  readonly remaining: number
  /** UTC ms: oldest counted event; the start of the window where there is none. */
  readonly periodStart: number
  /** UTC ms: when at least one more is free; now if one is. */
  readonly resetsAt: number
}

/** From the configuration alone. */
export function ruleOf(_config: SocialConfig, _action: LimitedAction): LimitRule {
  throw new Error('not yet')
}

/**
 * Counts the event, in the transaction that checks: as `reserved` with an outbox row, else as `used`. Throws `rate_limited`
 * (`policy_denied_rate_limited` for `mcp_mutation`) with `retryAfterMs` when any window that holds it is full.
 */
export async function take(_db: Database, _event: LedgerEvent, _rule: LimitRule, _now: number): Promise<void> {
  throw new Error('not yet')
}

/** What was reserved for that outbox row: it happened (`used`, at that time), or it will not (`refunded`). Idempotent. */
export async function settle(
  _db: Database,
  _outboxId: number,
  _state: 'used' | 'refunded',
  _at: number,
): Promise<void> {
  throw new Error('not yet')
}

export async function budgetOf(
  _db: Database,
  _rule: LimitRule,
  _whose: { readonly network: string; readonly principal?: string },
  _now: number,
): Promise<Budget> {
  throw new Error('not yet')
}
