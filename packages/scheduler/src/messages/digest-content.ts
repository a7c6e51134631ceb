import type { Groups } from '../groups/group.js'
import { digestMessagesMax, digestOverlapMs, digestRunsMax } from '../limits.js'
import type { Database, RunOutcome } from '../records/schema.js'
import type { DigestGroup, DigestMessage, DigestPause, DigestTrouble } from './digest-text.js'
import { firstWords } from './message-mail.js'

/** What the next digest is about, with the ids of what it tells. */
export interface DigestContent {
  readonly messages: readonly DigestMessage[]
  readonly troubles: readonly DigestTrouble[]
  readonly pauses: readonly DigestPause[]
  readonly runIds: readonly string[]
  /** Of the activity row of the last pause; the cursor of the next digest. */
  readonly activityId: number
  /** Until when all runs are told, UTC ms. */
  readonly coveredUntil: number
  readonly moreFollows: boolean
}

export interface DigestCursor {
  /** UTC ms. */
  readonly covered: number
  readonly activityId: number
}

/** Reads what no digest has told yet, inside the transaction that makes one of it. */
export async function readDigestContent(
  db: Database,
  groups: Groups,
  cursor: DigestCursor,
  now: number,
): Promise<DigestContent> {
  const since = cursor.covered - digestOverlapMs
  const messages = await untoldMessages(db)
  const runs = await untoldRuns(db, since)
  const pauses = await untoldPauses(db, cursor.activityId, since)
  const toldRuns = runs.slice(0, digestRunsMax)
  const toldPauses = pauses.slice(0, digestRunsMax)
  const runsAreLeft = runs.length > digestRunsMax
  const groupOf = namesIn(groups)
  return {
    messages: messages
      .slice(0, digestMessagesMax)
      .map(({ id, group_folder, created_at, text }) => ({ id, group: groupOf(group_folder), at: created_at, text })),
    troubles: troublesOf(toldRuns, groupOf),
    pauses: toldPauses.map(({ group_folder, ts, summary }) => ({
      group: groupOf(group_folder ?? groups.admin.folder),
      at: ts,
      text: summary,
    })),
    runIds: toldRuns.map(({ id }) => id),
    activityId: toldPauses.at(-1)?.id ?? cursor.activityId,
    coveredUntil: runsAreLeft ? (toldRuns.at(-1)?.finished_at ?? now) : now,
    moreFollows: runsAreLeft || messages.length > digestMessagesMax || pauses.length > digestRunsMax,
  }
}

/** How the digest says it; outcomes that are not here are none of its business. */
const told: { readonly [Outcome in RunOutcome]?: string } = {
  failed: 'failed',
  timed_out: 'timed out',
  empty: 'brought nothing',
  missed: 'missed',
  abandoned: 'abandoned',
  dead: 'given up',
}

function untoldMessages(db: Database) {
  return db
    .selectFrom('messages')
    .select(['id', 'group_folder', 'created_at', 'text'])
    .where('state', '=', 'batched')
    .where('digest_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(digestMessagesMax + 1)
    .execute()
}

function untoldRuns(db: Database, since: number) {
  return db
    .selectFrom('runs')
    .leftJoin('tasks', 'tasks.id', 'runs.task_id')
    .select(['runs.id', 'runs.group_folder', 'runs.outcome', 'runs.slots', 'runs.finished_at', 'runs.error'])
    .select(['tasks.name', 'tasks.prompt', 'runs.task_id', 'runs.trigger_id'])
    .where('runs.finished_at', '>', since)
    .where('runs.digest_id', 'is', null)
    .where('runs.outcome', 'in', Object.keys(told) as RunOutcome[])
    .orderBy('runs.finished_at')
    .orderBy('runs.id')
    .limit(digestRunsMax + 1)
    .execute()
}

function untoldPauses(db: Database, after: number, since: number) {
  return db
    .selectFrom('activity')
    .select(['id', 'group_folder', 'ts', 'summary'])
    .where('event_type', '=', 'task_auto_paused')
    .where('ts', '>', since)
    .where('id', '>', after)
    .orderBy('id')
    .limit(digestRunsMax + 1)
    .execute()
}

type UntoldRun = Awaited<ReturnType<typeof untoldRuns>>[number]

/** A task that fails every minute is one item, not a hundred. */
function troublesOf(runs: readonly UntoldRun[], groupOf: (folder: string) => DigestGroup): DigestTrouble[] {
  const troubles = new Map<string, DigestTrouble>()
  for (const run of runs) {
    const key = JSON.stringify([run.group_folder, run.task_id, run.outcome])
    const at = run.finished_at ?? 0
    const before = troubles.get(key)
    troubles.set(key, {
      group: groupOf(run.group_folder),
      title: titleOf(run),
      how: told[run.outcome ?? 'failed'] ?? 'failed',
      times: (before?.times ?? 0) + run.slots,
      firstAt: before?.firstAt ?? at,
      lastAt: at,
      error: run.error,
    })
  }
  return [...troubles.values()]
}

function titleOf({ task_id, trigger_id, name, prompt, id }: UntoldRun): string {
  if (task_id === null) return `${trigger_id === null ? 'mail' : 'trigger'}, ${id}`
  return name ?? (prompt === null || prompt === '' ? task_id : firstWords(prompt, 60))
}

function namesIn(groups: Groups): (folder: string) => DigestGroup {
  return (folder) => groups.byFolder(folder) ?? { tag: folder, name: 'removed' }
}
