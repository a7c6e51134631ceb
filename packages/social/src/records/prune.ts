import { pruneCallReplies } from '@callboard/store'
import type { Foundation } from '../foundation.js'
import {
  actionLogKeptMs,
  dayMs,
  itemKeptMsMin,
  looseMediaKeptMs,
  prunedRowsPerStatement,
  pruneStatementsMax,
  unrepliedKeptMs,
} from '../limits.js'
import type { Database, ItemStatus } from './schema.js'

interface Times {
  readonly now: number
  /** UTC ms: what is older than the operator wants to keep. */
  readonly old: number
}

/** Removes some rows, at most so many; tells how many. */
type Pruning = (db: Database, times: Times, rowsMax: number) => Promise<number>

/**
 * Removes what nobody needs any more, in short statements: other writers have their turn in between. What is open stays however
 * old it is, and posts of the built-in network stay until somebody deletes them: they are the network.
 */
export async function pruneOld({
  store,
  clock,
  config,
}: Pick<Foundation, 'store' | 'clock' | 'config'>): Promise<void> {
  const now = clock.now()
  const times = { now, old: now - config.storage.retention_days * dayMs }
  for (const prune of prunings) {
    for (let statement = 0; statement < pruneStatementsMax; statement += 1) {
      const removed = await prune(store.db, times, prunedRowsPerStatement)
      if (removed < prunedRowsPerStatement) break
    }
  }
}

const open = ['pending', 'approved', 'scheduled', 'publishing', 'unknown'] as const satisfies ItemStatus[]
const over = ['rejected', 'withdrawn', 'expired', 'posted', 'failed'] as const satisfies ItemStatus[]

const pruneDiscovered: Pruning = (db, { now, old }, rowsMax) =>
  removed(
    db.deleteFrom('discovered_posts').where('id', 'in', (eb) =>
      eb
        .selectFrom('discovered_posts as post')
        .select('post.id')
        .where('post.discovered_at', '<', now - unrepliedKeptMs)
        .where((is) => is.or([is('post.replied_to', '=', 0), is('post.discovered_at', '<', old)]))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('approval_queue as item')
                .select('item.id')
                .whereRef('item.network', '=', 'post.network')
                .whereRef('item.target_post_id', '=', 'post.remote_id')
                .where('item.status', 'in', open),
            ),
          ),
        )
        .limit(rowsMax),
    ),
  )

const pruneLog: Pruning = (db, { now }, rowsMax) =>
  removed(
    db.deleteFrom('action_log').where('id', 'in', (eb) =>
      eb
        .selectFrom('action_log')
        .select('id')
        .where('created_at', '<', now - actionLogKeptMs)
        .orderBy('created_at')
        .limit(rowsMax),
    ),
  )

/** Revisions, outbox row, its parts and their measurements go with the item. */
const pruneItems: Pruning = (db, { now, old }, rowsMax) =>
  removed(
    db.deleteFrom('approval_queue').where('id', 'in', (eb) =>
      eb
        .selectFrom('approval_queue')
        .select('id')
        .where('status', 'in', over)
        .where('updated_at', '<', Math.min(old, now - itemKeptMsMin))
        .limit(rowsMax),
    ),
  )

/** What is reserved stays as long as the row that it is reserved for: it will be settled. */
const pruneLedger: Pruning = (db, { old }, rowsMax) =>
  removed(
    db.deleteFrom('rate_ledger').where('id', 'in', (eb) =>
      eb
        .selectFrom('rate_ledger as event')
        .select('event.id')
        .where('event.at', '<', old)
        .where(({ or, eb: is, not, exists, selectFrom }) =>
          or([
            is('event.state', '!=', 'reserved'),
            not(exists(selectFrom('outbox').select('outbox.id').whereRef('outbox.id', '=', 'event.outbox_id'))),
          ]),
        )
        .limit(rowsMax),
    ),
  )

const pruneDrafts: Pruning = (db, { old }, rowsMax) =>
  removed(
    db
      .deleteFrom('drafts')
      .where('id', 'in', (eb) => eb.selectFrom('drafts').select('id').where('created_at', '<', old).limit(rowsMax)),
  )

/** After the items: what only they used is loose then. A file that was just stored may be about to get its item. */
const pruneMedia: Pruning = (db, { now }, rowsMax) =>
  removed(
    db.deleteFrom('media').where('sha256', 'in', (eb) =>
      eb
        .selectFrom('media')
        .select('media.sha256')
        .where('media.created_at', '<', now - looseMediaKeptMs)
        .where(({ not, exists, selectFrom, eb: is, ref, val }) => {
          // A hash in hex is nothing else in that JSON.
          const itsHash = is(is(val('%'), '||', ref('media.sha256')), '||', val('%'))
          return is.and([
            not(
              exists(
                selectFrom('approval_queue as item')
                  .select('item.id')
                  .where('item.media', 'like', itsHash)
                  // A failed one may be tried again; what is over for good needs its files no more.
                  .where('item.status', 'in', [...open, 'failed']),
              ),
            ),
            not(exists(selectFrom('local_posts as post').select('post.id').where('post.media', 'like', itsHash))),
          ])
        })
        .limit(rowsMax),
    ),
  )

const pruneLocalPosts: Pruning = (db, { old }, rowsMax) =>
  removed(
    db
      .deleteFrom('local_posts')
      .where('id', 'in', (eb) =>
        eb.selectFrom('local_posts').select('id').where('deleted_at', '<', old).limit(rowsMax),
      ),
  )

const pruneLlmUsage: Pruning = (db, { old }, rowsMax) =>
  removed(
    db
      .deleteFrom('llm_usage')
      .where('id', 'in', (eb) => eb.selectFrom('llm_usage').select('id').where('at', '<', old).limit(rowsMax)),
  )

const pruneNetworkUsage: Pruning = (db, { old }, rowsMax) =>
  removed(
    db
      .deleteFrom('network_usage')
      .where('id', 'in', (eb) => eb.selectFrom('network_usage').select('id').where('at', '<', old).limit(rowsMax)),
  )

const pruneReplies: Pruning = (db, { now }, rowsMax) => pruneCallReplies(db, now, rowsMax)

/** One row a day and network. */
const pruneSnapshots: Pruning = async (db, { old }) => {
  await db.deleteFrom('follower_snapshots').where('at', '<', old).execute()
  return 0
}

/** One row for each topic and format. */
const pruneTopics: Pruning = async (db, { old }) => {
  await db.deleteFrom('topic_scores').where('updated_at', '<', old).execute()
  return 0
}

/** What others refer to comes after them: items before the ledger's rows and the media. */
const prunings: readonly Pruning[] = [
  pruneDiscovered,
  pruneLog,
  pruneItems,
  pruneLedger,
  pruneDrafts,
  pruneLocalPosts,
  pruneMedia,
  pruneLlmUsage,
  pruneNetworkUsage,
  pruneReplies,
  pruneSnapshots,
  pruneTopics,
]

interface Deletion {
  executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }>
}

async function removed(deletion: Deletion): Promise<number> {
  return Number((await deletion.executeTakeFirst()).numDeletedRows)
}
