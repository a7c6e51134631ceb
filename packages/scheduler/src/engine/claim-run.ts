import { createHash } from 'node:crypto'
import { utcText } from '@callboard/worker/utc-text'
import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import type { TaskRow } from '../tasks/task-row.js'
import type { EngineParts } from './engine-parts.js'
import type { RunRow } from './run-row.js'

/** A run that this process may work on until its lease ends. */
export interface Claim {
  readonly run: RunRow
  readonly attempt: number
  readonly fence: number
  readonly leaseUntil: number
  readonly startedAt: number
  readonly work: Work
}

/** What is to be done, as it was at the claim. */
export type Work =
  | { readonly kind: 'task'; readonly task: TaskRow }
  | { readonly kind: 'trigger'; readonly source: string; readonly subject: string; readonly body: string }
  | { readonly kind: 'mail'; readonly sender: string; readonly subject: string; readonly text: string }

/** Groups with runs that wait for a turn. */
export async function waitingGroups(db: Database, now: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('group_folder')
    .where('state', '=', 'queued')
    .where('due_at', '<=', now)
    .groupBy('group_folder')
    .execute()
  return rows.map(({ group_folder }) => group_folder)
}

/** The run of this group that has waited longest and may start beside what runs. */
export function nextOf(db: Database, group: string, now: number): Promise<RunRow | undefined> {
  return startable(db, now)
    .where('runs.group_folder', '=', group)
    .orderBy('runs.due_at')
    .orderBy('runs.id')
    .limit(1)
    .executeTakeFirst()
}

/** Undefined: somebody else took it, or it may not start any more. */
export async function claimRun(
  db: Database,
  { clock, config, processId }: EngineParts,
  candidate: RunRow,
  token: string,
): Promise<Claim | undefined> {
  const now = clock.now()
  const run = await startable(db, now)
    .where('runs.id', '=', candidate.id)
    .where('runs.attempts', '=', candidate.attempts)
    .executeTakeFirst()
  const work = run && (await workOf(db, run))
  if (run === undefined || work === undefined) return undefined
  const [attempt, fence, leaseUntil] = [run.attempts + 1, run.fence + 1, now + config.lease_ms]
  await db
    .updateTable('runs')
    .set({ state: 'running', attempts: attempt, fence, retry_at: null, started_at: run.started_at ?? now })
    .where('id', '=', run.id)
    .execute()
  await db
    .insertInto('attempts')
    .values({
      run_id: run.id,
      n: attempt,
      owner: processId,
      fence,
      lease_until: leaseUntil,
      token_hash: createHash('sha256').update(token).digest('hex'),
      // A direct call is not, until its tool is known for one that may be repeated.
      repeatable: work.kind === 'task' && work.task.tool !== null ? 0 : 1,
      started_at: now,
      messages_sent: 0,
      tool_calls: 0,
    })
    .execute()
  await recordActivity(db, {
    at: now,
    type: 'agent_started',
    group: run.group_folder,
    ...(run.task_id !== null && { taskId: run.task_id }),
    runId: run.id,
    summary: `Attempt ${attempt} of ${run.id} started.`,
    details: { attempt, scheduled_for: utcText(run.scheduled_for) },
  })
  return { run, attempt, fence, leaseUntil, startedAt: now, work }
}

/** Queued, due, of a task that is not paused, and not beside a run that excludes it. */
function startable(db: Database, now: number) {
  return db
    .selectFrom('runs')
    .selectAll('runs')
    .where('runs.state', '=', 'queued')
    .where('runs.due_at', '<=', now)
    .where(({ or, not, exists, eb, selectFrom }) =>
      or([
        eb('runs.serial', '=', 0),
        not(
          exists(
            selectFrom('runs as other')
              .select('other.id')
              .where('other.state', '=', 'running')
              .whereRef('other.group_folder', '=', 'runs.group_folder')
              .where('other.serial', '=', 1),
          ),
        ),
      ]),
    )
    .where(({ or, not, exists, eb, selectFrom }) =>
      or([
        eb('runs.exclusive', '=', 0),
        not(
          exists(
            selectFrom('runs as other')
              .select('other.id')
              .whereRef('other.task_id', '=', 'runs.task_id')
              .where('other.state', '=', 'running'),
          ),
        ),
      ]),
    )
    .where(({ or, exists, eb, selectFrom }) =>
      or([
        eb('runs.task_id', 'is', null),
        // An operator has asked for it, whatever became of the task since.
        eb('runs.attempts_before', '>', 0),
        exists(
          selectFrom('tasks')
            .select('tasks.id')
            .whereRef('tasks.id', '=', 'runs.task_id')
            .where('tasks.status', '=', 'active'),
        ),
      ]),
    )
}

async function workOf(db: Database, run: RunRow): Promise<Work | undefined> {
  if (run.task_id !== null) {
    const task = await db.selectFrom('tasks').selectAll().where('id', '=', run.task_id).executeTakeFirst()
    return task && { kind: 'task', task }
  }
  if (run.trigger_id !== null) {
    const trigger = await db
      .selectFrom('triggers')
      .select(['source', 'subject', 'body'])
      .where('id', '=', run.trigger_id)
      .executeTakeFirst()
    return trigger && { kind: 'trigger', ...trigger }
  }
  const mail = await db
    .selectFrom('mails')
    .select(['sender', 'subject', 'text'])
    .where('id', '=', run.mail_id ?? '')
    .executeTakeFirst()
  return mail && { kind: 'mail', ...mail }
}
