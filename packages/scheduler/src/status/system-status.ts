import { utcText } from '@callboard/worker/utc-text'
import type { Foundation } from '../foundation.js'
import { heartbeatStaleMs, historyMs } from '../limits.js'
import type { MailHealth } from '../mail/mail-transport.js'
import type { Database } from '../records/schema.js'
import { chosenProvider } from '../search/choose-provider.js'

/** What no table says. */
export interface StatusSources {
  readonly version: string
  /** `clock.monotonic()` at the start of this process. */
  readonly startedAt: number
  smtp(): MailHealth
  imap(): MailHealth
  /** UTC ms of the next digest; undefined: none is planned. */
  nextDigestAt(): Promise<number | undefined>
}

/** Everything as it is now. Texts of errors may speak of the operator's servers, so only the admin group reads them. */
export async function systemStatus(foundation: Foundation, sources: StatusSources, isAdmin: boolean) {
  const { store, clock, config, groups, timeZone } = foundation
  const { db } = store
  const now = clock.now()
  return {
    uptime_s: Math.floor((clock.monotonic() - sources.startedAt) / 1000),
    version: sources.version,
    now: utcText(now),
    timezone: timeZone,
    imap: healthOf(sources.imap(), isAdmin),
    smtp: healthOf(sources.smtp(), isAdmin),
    registered_groups: groups.all.length,
    ...(await taskCounts(db)),
    ...(await runCounts(db, now)),
    ...(await dueTimes(db, now - config.missed_grace_ms)),
    outbox: await outboxState(db, now),
    digest: await digestState(db, await sources.nextDigestAt()),
    ...(await triggerCounts(db, now)),
    processes: await processStates(db, now),
    search_provider: chosenProvider(config)?.name ?? null,
  }
}

function healthOf({ configured, connected, lastOkAt, lastError }: MailHealth, isAdmin: boolean) {
  return { configured, connected, last_ok_at: textOrNull(lastOkAt), last_error: isAdmin ? lastError : null }
}

async function taskCounts(db: Database) {
  const rows = await db
    .selectFrom('tasks')
    .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
    .where('status', 'in', ['active', 'paused'])
    .groupBy('status')
    .execute()
  return { active_tasks: countOf(rows, 'active'), paused_tasks: countOf(rows, 'paused') }
}

async function runCounts(db: Database, now: number) {
  const live = await db
    .selectFrom('attempts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('outcome', 'is', null)
    .where('lease_until', '>', now)
    .executeTakeFirstOrThrow()
  const queued = await db
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', ['queued', 'waiting'])
    .executeTakeFirstOrThrow()
  const dead = await db
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('outcome', '=', 'dead')
    .executeTakeFirstOrThrow()
  return { active_agents: live.count, queued_runs: queued.count, dead_runs: dead.count }
}

/** A task is overdue when nobody has taken its slot within the grace that every slot has. */
async function dueTimes(db: Database, graceStart: number) {
  const next = await db
    .selectFrom('tasks')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  const overdue = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('due_at', '<', graceStart)
    .executeTakeFirstOrThrow()
  return { next_due: textOrNull(next?.due_at), overdue: overdue.count }
}

async function outboxState(db: Database, now: number) {
  const unsent = await db
    .selectFrom('outbox')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
    .where('state', 'in', ['pending', 'sending'])
    .executeTakeFirstOrThrow()
  const dead = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'dead')
    .executeTakeFirstOrThrow()
  const oldest = unsent.oldest as number | null
  return {
    pending: unsent.count,
    oldest_age_s: oldest === null ? null : Math.max(0, Math.floor((now - oldest) / 1000)),
    dead: dead.count,
  }
}

async function digestState(db: Database, nextAt: number | undefined) {
  // The row of the fact: the outbox has no index by kind.
  const sent = await db
    .selectFrom('activity')
    .select('ts')
    .where('event_type', '=', 'digest_sent')
    .orderBy('ts', 'desc')
    .limit(1)
    .executeTakeFirst()
  const waiting = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'batched')
    .executeTakeFirstOrThrow()
  return { last_sent_at: textOrNull(sent?.ts), next_at: textOrNull(nextAt), items: waiting.count }
}

async function triggerCounts(db: Database, now: number) {
  const accepted = await db
    .selectFrom('triggers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accepted_at', '>', now - 60 * 60_000)
    .executeTakeFirstOrThrow()
  const unreceived = await db
    .selectFrom('triggers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    // No trigger lives longer; and the index is by this time.
    .where('accepted_at', '>', now - historyMs)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return { triggers_last_hour: accepted.count, triggers_unreceived: unreceived.count }
}

async function processStates(db: Database, now: number) {
  const rows = await db.selectFrom('processes').select(['id', 'heartbeat_at']).orderBy('id').execute()
  return rows.map(({ id, heartbeat_at }) => {
    const age = Math.max(0, now - heartbeat_at)
    return { id, heartbeat_age_s: Math.floor(age / 1000), stale: age > heartbeatStaleMs }
  })
}

function countOf(rows: readonly { readonly status: string; readonly count: number }[], status: string): number {
  return rows.find((row) => row.status === status)?.count ?? 0
}

function textOrNull(time: number | null | undefined): string | null {
  return time === null || time === undefined ? null : utcText(time)
}
