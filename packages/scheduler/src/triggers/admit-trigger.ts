import { storable } from '@callboard/store'
import type { Foundation } from '../foundation.js'
import { triggerLifeMs, triggerWindowMs } from '../limits.js'
import type { Database } from '../records/schema.js'

export interface NewTrigger {
  /** Folders. */
  readonly source: string
  readonly target: string
  /** Of the run (or the person: 0) that triggers. */
  readonly depth: number
  readonly subject: string
  readonly body: string
  /** Id of a message that the run decides on. */
  readonly reviewOf?: string
}

export type Admission =
  | { readonly kind: 'admitted'; readonly trigger: AdmittedTrigger }
  | { readonly kind: 'too_deep'; readonly depth: number; readonly depthMax: number }
  | { readonly kind: 'too_soon'; readonly limit: 'pair' | 'hour'; readonly retryAfterMs: number }

export interface AdmittedTrigger extends Omit<NewTrigger, 'reviewOf'> {
  readonly id: string
  /** Of the run that it starts: one more than its cause's. */
  readonly depth: number
  /** UTC ms. */
  readonly acceptedAt: number
  readonly expiresAt: number
}

/**
 * Counts and stores a trigger, or refuses it without having counted it. The limits are read from the rows of all processes,
 * in the transaction of `db`, which therefore has to be a write transaction. What a clock that was far ahead has accepted does
 * not count: it would block for as long as the clock was ahead.
 */
export async function admitTrigger(
  db: Database,
  foundation: Pick<Foundation, 'config' | 'clock' | 'newId'>,
  { reviewOf, ...trigger }: NewTrigger,
): Promise<Admission> {
  const { config, clock, newId } = foundation
  const now = clock.now()
  if (trigger.depth >= config.max_trigger_depth) {
    return { kind: 'too_deep', depth: trigger.depth, depthMax: config.max_trigger_depth }
  }
  const wait = (await pairWait(db, trigger, config.trigger_cooldown_ms, now)) ?? (await hourWait(db, config, now))
  if (wait !== undefined) return { kind: 'too_soon', ...wait }
  const admitted: AdmittedTrigger = {
    ...trigger,
    body: storable(trigger.body, Number.POSITIVE_INFINITY),
    id: newId('trg'),
    depth: trigger.depth + 1,
    acceptedAt: now,
    expiresAt: now + triggerLifeMs,
  }
  await insertTrigger(db, admitted, reviewOf)
  return { kind: 'admitted', trigger: admitted }
}

interface Wait {
  readonly limit: 'pair' | 'hour'
  readonly retryAfterMs: number
}

async function pairWait(
  db: Database,
  { source, target }: NewTrigger,
  cooldownMs: number,
  now: number,
): Promise<Wait | undefined> {
  const last = await db
    .selectFrom('triggers')
    .select('accepted_at')
    .where('source', '=', source)
    .where('target', '=', target)
    .where('accepted_at', '>', now - cooldownMs)
    .where('accepted_at', '<=', now + cooldownMs)
    .orderBy('accepted_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last && { limit: 'pair', retryAfterMs: last.accepted_at + cooldownMs - now }
}

/** The trigger that has to leave the window before another one may enter is the one `max` places back. */
async function hourWait(db: Database, config: Foundation['config'], now: number): Promise<Wait | undefined> {
  const blocking = await db
    .selectFrom('triggers')
    .select('accepted_at')
    .where('accepted_at', '>', now - triggerWindowMs)
    .where('accepted_at', '<=', now + triggerWindowMs)
    .orderBy('accepted_at', 'desc')
    .offset(config.max_triggers_per_hour - 1)
    .limit(1)
    .executeTakeFirst()
  return blocking && { limit: 'hour', retryAfterMs: blocking.accepted_at + triggerWindowMs - now }
}

async function insertTrigger(db: Database, trigger: AdmittedTrigger, reviewOf: string | undefined): Promise<void> {
  const { id, source, target, depth, subject, body, acceptedAt, expiresAt } = trigger
  await db
    .insertInto('triggers')
    .values({
      id,
      source,
      target,
      depth,
      subject,
      body,
      review_of: reviewOf ?? null,
      accepted_at: acceptedAt,
      expires_at: expiresAt,
    })
    .execute()
}
