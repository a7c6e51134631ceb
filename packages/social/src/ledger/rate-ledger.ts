import { utcText } from '@callboard/worker/utc-text'
import type { SocialConfig } from '../config.js'
import { failure, type SocialFailure } from '../envelope/failure.js'
import { dayMs, hourMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import { fullestWindow, nextFree } from './sliding-window.js'

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
  /** When it counts: its due time while it is only reserved. One that is past counts now. */
  readonly at: number
}

export interface Budget extends LimitRule {
  /** Of the fullest window that now is in: what is to come counts too. */
  readonly used: number
  readonly reserved: number
  /** How many more there may be now. */
  readonly remaining: number
  /** UTC ms: oldest counted event; the start of the window where there is none. Never after now. */
  readonly periodStart: number
  /** UTC ms: when at least one more is free; now if one is. Absent where there never is: the limit is 0. */
  readonly resetsAt?: number
}

const quarterHour = 15 * 60_000

/** Where the limit is written, and its window. */
const rules = {
  reply: { key: 'max_replies_per_day', windowMs: dayMs },
  tweet: { key: 'max_tweets_per_day', windowMs: dayMs },
  thread: { key: 'max_threads_per_week', windowMs: 7 * dayMs },
  search: { key: 'max_searches_per_15_minutes', windowMs: quarterHour },
  mention_check: { key: 'max_mention_checks_per_15_minutes', windowMs: quarterHour },
  mcp_mutation: { key: 'max_mutations_per_hour', windowMs: hourMs },
} as const satisfies {
  readonly [action in LimitedAction]: { readonly key: keyof SocialConfig['limits']; readonly windowMs: number }
}

/** How long an event of any action can matter. ms. */
export const longestWindowMs = Math.max(...Object.values(rules).map(({ windowMs }) => windowMs))

/** From the configuration alone. */
export function ruleOf({ limits }: Pick<SocialConfig, 'limits'>, action: LimitedAction): LimitRule {
  const { key, windowMs } = rules[action]
  return { action, max: limits[key], windowMs }
}

/**
 * Counts the event, in the transaction that checks: as `reserved` with an outbox row, else as `used`. Throws `rate_limited`
 * (`policy_denied_rate_limited` for `mcp_mutation`) with `retryAfterMs` when any window that holds it is full.
 */
export async function take(db: Database, event: LedgerEvent, rule: LimitRule, now: number): Promise<void> {
  // Outside of one, two of them could take the last place.
  if (!db.isTransaction) throw new Error('take: check and reservation have to be one transaction')
  const { action, network, principal, authorId, outboxId } = event
  const at = await requireFree(db, event, rule, now)
  await db
    .insertInto('rate_ledger')
    .values({
      action_type: action,
      network,
      principal: principal ?? null,
      author_id: authorId ?? null,
      outbox_id: outboxId ?? null,
      state: outboxId === undefined ? 'used' : 'reserved',
      at,
    })
    .execute()
}

/** Throws as `take` does, and counts nothing; else when the event would count. Outside of a transaction it is a guess. */
export async function requireFree(db: Database, event: LedgerEvent, rule: LimitRule, now: number): Promise<number> {
  const at = Math.max(event.at, now)
  const counted = await countedEvents(db, rule, event, at)
  const free = nextFree(timesOf(counted), rule, at)
  if (free !== at) throw refused(event, rule, free, now)
  return at
}

/** What was reserved for that outbox row: it happened (`used`, at that time), or it will not (`refunded`). Idempotent. */
export async function settle(db: Database, outboxId: number, state: 'used' | 'refunded', at: number): Promise<void> {
  await db
    .updateTable('rate_ledger')
    .set({ state, at })
    .where('outbox_id', '=', outboxId)
    .where('state', '=', 'reserved')
    .execute()
}

export async function budgetOf(
  db: Database,
  rule: LimitRule,
  whose: { readonly network: string; readonly principal?: string },
  now: number,
): Promise<Budget> {
  const { max, windowMs } = rule
  const counted = await countedEvents(db, rule, whose, now)
  const times = timesOf(counted)
  const window = counted.slice(...fullestWindow(times, windowMs, now))
  const reserved = window.filter(({ state }) => state === 'reserved').length
  const resetsAt = nextFree(times, rule, now)
  return {
    ...rule,
    used: window.length - reserved,
    reserved,
    remaining: Math.max(0, max - window.length),
    periodStart: Math.min(now, window[0]?.at ?? now - windowMs),
    ...(resetsAt !== undefined && { resetsAt }),
  }
}

interface Counted {
  readonly at: number
  readonly state: 'reserved' | 'used' | 'refunded'
}

/** All that can share a window with an event at `from` or later; oldest first. */
async function countedEvents(
  db: Database,
  { action, windowMs }: LimitRule,
  { network, principal }: { readonly network: string; readonly principal?: string },
  from: number,
): Promise<readonly Counted[]> {
  return await db
    .selectFrom('rate_ledger')
    .select(['at', 'state'])
    .where('action_type', '=', action)
    .where('network', '=', network)
    .$if(principal !== undefined, (query) => query.where('principal', '=', principal!))
    .where('state', 'in', ['reserved', 'used'])
    .where('at', '>', from - windowMs)
    .orderBy('at')
    .execute()
}

const timesOf = (counted: readonly Counted[]) => counted.map(({ at }) => at)

function refused(event: LedgerEvent, rule: LimitRule, free: number | undefined, now: number): SocialFailure {
  const { action, network } = event
  const { key } = rules[action]
  const code = action === 'mcp_mutation' ? 'policy_denied_rate_limited' : 'rate_limited'
  const details = {
    action_type: action,
    max_requests: rule.max,
    period_seconds: rule.windowMs / 1_000,
    ...(network !== '' && { network }),
  }
  const denied = { details, ...(action === 'mcp_mutation' && { policyDecision: 'denied' as const }) }
  if (free === undefined) {
    return failure(
      code,
      `No ${things[action]}${onNetwork(network)}: an operator has switched them off (social.limits.${key} is 0).`,
      {
        ...denied,
        retryable: false,
      },
    )
  }
  const time = utcText(free)
  return failure(
    code,
    `The limit of ${rule.max} ${things[action]} in ${spanWords(rule.windowMs)}${onNetwork(network)} is reached ` +
      `(social.limits.${key}); the next one is free at ${time}${event.at > now ? ', so give it that time or a later one' : ''}.`,
    { ...denied, retryAfterMs: free - now, rateLimitReset: free },
  )
}

const things: Readonly<Record<LimitedAction, string>> = {
  reply: 'replies',
  tweet: 'posts',
  thread: 'threads',
  search: 'searches',
  mention_check: 'mention checks',
  mcp_mutation: 'changing calls',
}

const onNetwork = (network: string) => (network === '' ? '' : ` on ${network}`)

function spanWords(ms: number): string {
  if (ms > dayMs) return `${ms / dayMs} days`
  const hours = ms / hourMs
  return hours < 1 ? `${ms / 60_000} minutes` : hours === 1 ? 'one hour' : `${hours} hours`
}
