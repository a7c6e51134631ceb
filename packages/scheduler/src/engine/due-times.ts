import { dueTasksPerClaim } from '../limits.js'
import type { Database } from '../records/schema.js'

/** All that a round without work asks of the database: each is the first entry of an index, however much lies behind it. */

export function dueTasks(db: Database, now: number) {
  return db.selectFrom('tasks').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(dueTasksPerClaim)
}

export function nextTask(db: Database) {
  return db.selectFrom('tasks').select('due_at as at').where('due_at', 'is not', null).orderBy('due_at').limit(1)
}

export function nextRetry(db: Database) {
  return db
    .selectFrom('runs')
    .select('retry_at as at')
    .where('state', '=', 'waiting')
    .where('retry_at', 'is not', null)
    .orderBy('retry_at')
    .limit(1)
}

/** Of runs that wait for their jitter. */
export function nextDelayed(db: Database, now: number) {
  return db
    .selectFrom('runs')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .where('state', '=', 'queued')
    .where('due_at', '>', now)
}

/** Of attempts of other processes. */
export function nextLeaseEnd(db: Database, processId: string) {
  return db
    .selectFrom('attempts')
    .select('lease_until as at')
    .where('outcome', 'is', null)
    .where('owner', '!=', processId)
    .orderBy('lease_until')
    .limit(1)
}

export function expiredLeases(db: Database, now: number) {
  return db
    .selectFrom('attempts')
    .select(['run_id', 'n', 'fence', 'pgid', 'process_identity'])
    .where('outcome', 'is', null)
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .limit(100)
}

/** UTC ms of the next task, retry or delayed run; undefined: there is none. */
export async function nextWork(db: Database, now: number): Promise<number | undefined> {
  const rows = await Promise.all([
    nextTask(db).executeTakeFirst(),
    nextRetry(db).executeTakeFirst(),
    nextDelayed(db, now).executeTakeFirst(),
  ])
  const times = rows.map((row) => row?.at).filter((at) => typeof at === 'number')
  return times.length === 0 ? undefined : Math.min(...times)
}
