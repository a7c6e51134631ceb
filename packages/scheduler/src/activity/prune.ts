import { pruneCallReplies } from '@callboard/store'
import type { Foundation } from '../foundation.js'
import { historyMs, prunedRowsPerStatement, pruneStatementsMax, searchesKeptMs } from '../limits.js'
import type { Database } from '../records/schema.js'

/** Removes some rows, at most so many; tells how many. */
type Pruning = (db: Database, now: number, rowsMax: number) => Promise<number>

/** Removes what nobody needs any more, in short statements: other writers have their turn in between. */
export async function pruneOld({ store, clock }: Pick<Foundation, 'store' | 'clock'>): Promise<void> {
  const now = clock.now()
  for (const prune of prunings) {
    for (let statement = 0; statement < pruneStatementsMax; statement += 1) {
      const removed = await prune(store.db, now, prunedRowsPerStatement)
      if (removed < prunedRowsPerStatement) break
    }
  }
}

const pruneActivity: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('activity').where('id', 'in', (eb) =>
      eb
        .selectFrom('activity')
        .select('id')
        .where('ts', '<', now - historyMs)
        .orderBy('ts')
        .limit(rowsMax),
    ),
  )

const pruneMessages: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('messages').where('id', 'in', (eb) =>
      eb
        .selectFrom('messages')
        .select('id')
        .where('state', 'in', ['sent', 'logged', 'dropped'])
        .where('created_at', '<', now - historyMs)
        .limit(rowsMax),
    ),
  )

/** Dead mail stays until an operator has seen to it. */
const pruneOutbox: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('outbox').where('id', 'in', (eb) =>
      eb
        .selectFrom('outbox')
        .select('id')
        .where('state', '=', 'sent')
        .where('sent_at', '<', now - historyMs)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('messages').select('messages.id').whereRef('messages.digest_id', '=', 'outbox.id'))),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('messages').select('messages.id').whereRef('messages.outbox_id', '=', 'outbox.id'))),
        )
        .limit(rowsMax),
    ),
  )

/** Attempts go with their run. A dead run of a task that goes on stays: an operator may still redrive it. */
const pruneRuns: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('runs').where('id', 'in', (eb) =>
      eb
        .selectFrom('runs')
        .leftJoin('tasks', 'tasks.id', 'runs.task_id')
        .select('runs.id')
        .where('runs.state', '=', 'ended')
        .where('runs.finished_at', '<', now - historyMs)
        .where(({ or, eb: is, not }) =>
          or([
            is('runs.outcome', 'is', null),
            is('runs.outcome', '!=', 'dead'),
            is('tasks.id', 'is', null),
            not(is('tasks.status', 'in', ['active', 'paused'])),
          ]),
        )
        .limit(rowsMax),
    ),
  )

const pruneTasks: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('tasks').where('id', 'in', (eb) =>
      eb
        .selectFrom('tasks')
        .select('id')
        .where('status', 'in', ['completed', 'failed', 'cancelled'])
        .where(({ fn }) => fn.coalesce('cancelled_at', 'ended_at'), '<', now - historyMs)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('runs').select('runs.id').whereRef('runs.task_id', '=', 'tasks.id'))),
        )
        .limit(rowsMax),
    ),
  )

const pruneTriggers: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('triggers').where('id', 'in', (eb) =>
      eb
        .selectFrom('triggers')
        .select('id')
        .where('accepted_at', '<', now - historyMs)
        .where('expires_at', '<', now - historyMs)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('runs').select('runs.id').whereRef('runs.trigger_id', '=', 'triggers.id'))),
        )
        .limit(rowsMax),
    ),
  )

const pruneMails: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('mails').where('id', 'in', (eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('received_at', '<', now - historyMs)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('runs').select('runs.id').whereRef('runs.mail_id', '=', 'mails.id'))),
        )
        .limit(rowsMax),
    ),
  )

const pruneSearches: Pruning = (db, now, rowsMax) =>
  removed(
    db.deleteFrom('searches').where('key', 'in', (eb) =>
      eb
        .selectFrom('searches')
        .select('key')
        .where('at', '<', now - searchesKeptMs)
        .limit(rowsMax),
    ),
  )

/** Windows are named after their day, in whatever zone: two days ago is over everywhere. */
const pruneQuotas: Pruning = async (db, now) => {
  const day = new Date(now - 2 * 24 * 60 * 60_000).toISOString().slice(0, 10)
  await db.deleteFrom('quotas').where('window', 'like', '____-__-__%').where('window', '<', day).execute()
  return 0
}

/** What others refer to comes after them: messages before their mail, runs before their task, trigger and mail. */
const prunings: readonly Pruning[] = [
  pruneActivity,
  pruneMessages,
  pruneOutbox,
  pruneRuns,
  pruneTasks,
  pruneTriggers,
  pruneMails,
  pruneCallReplies,
  pruneSearches,
  pruneQuotas,
]

interface Deletion {
  executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }>
}

async function removed(deletion: Deletion): Promise<number> {
  return Number((await deletion.executeTakeFirst()).numDeletedRows)
}
