import { storable } from '@callboard/store'
import { utcText } from '@callboard/worker/utc-text'
import { recordActivity } from '../activity/record-activity.js'
import { errorTextMax } from '../limits.js'
import type { Database, RunOutcome } from '../records/schema.js'
import { nextOccurrence } from '../schedule/occurrences.js'
import { readTask } from '../tasks/task-records.js'
import { type TaskRow, titleOf } from '../tasks/task-row.js'
import type { EngineParts } from './engine-parts.js'
import type { RunRow } from './run-row.js'

export interface RunEnd {
  readonly outcome: RunOutcome
  readonly errorClass?: string
  readonly error?: string
}

type Parts = Pick<EngineParts, 'clock' | 'config' | 'messages'>

/** Ends a run that has not ended, and tells its task what that means for it. Part of the caller's transaction. */
export async function endRun(db: Database, parts: Parts, run: RunRow, end: RunEnd): Promise<void> {
  const now = parts.clock.now()
  await db
    .updateTable('runs')
    .set({
      state: 'ended',
      outcome: end.outcome,
      finished_at: now,
      retry_at: null,
      fence: run.fence + 1,
      error_class: end.errorClass ?? null,
      error: end.error === undefined ? null : storable(end.error, errorTextMax),
    })
    .where('id', '=', run.id)
    .execute()
  // What was recorded without a run says nothing about how its task does.
  if (end.outcome === 'missed' || end.outcome === 'skipped_overlap') return
  if (run.task_id === null) return end.outcome === 'dead' ? tellDeadRun(db, parts, run, end) : undefined
  const task = await db.selectFrom('tasks').selectAll().where('id', '=', run.task_id).executeTakeFirst()
  if (task !== undefined) await tellTask(db, parts, task, run, end)
}

/** What one more slot says about the whole task. */
async function tellTask(db: Database, parts: Parts, task: TaskRow, run: RunRow, end: RunEnd): Promise<void> {
  if (end.outcome === 'dead') await recordDead(db, parts, run, end)
  // A cancelled task keeps nothing to count.
  if (task.status === 'cancelled') return
  const failures = end.outcome === 'ok' ? 0 : task.failures + 1
  if (failures !== task.failures) await db.updateTable('tasks').set({ failures }).where('id', '=', task.id).execute()
  if (task.schedule_type === 'once') return endOnce(db, parts, task, end)
  if (failures >= parts.config.auto_pause_after && task.status === 'active') {
    await autoPause(db, parts, task, `${failures} runs in a row did not succeed`)
  }
}

async function endOnce(db: Database, parts: Parts, task: TaskRow, end: RunEnd): Promise<void> {
  // Paused while this run went on: nothing is left to resume, unless it was given another time.
  if (task.status === 'paused' && hasTimeLeft(task, parts.clock.now())) return
  const succeeded = end.outcome === 'ok' || end.outcome === 'empty'
  await db
    .updateTable('tasks')
    .set({
      status: succeeded ? 'completed' : 'failed',
      pause_reason: null,
      ended_at: parts.clock.now(),
      next_fire: null,
      due_at: null,
    })
    .where('id', '=', task.id)
    .where('status', 'in', ['active', 'paused', 'failed'])
    // It may have been given another time while this run went on.
    .where('next_fire', 'is', null)
    .execute()
  if (end.outcome === 'dead') {
    await notify(
      db,
      parts,
      task.group_folder,
      `The task ${titleOf(task)} has failed for good: ${end.error ?? ''}`,
      task.depth,
    )
  }
}

function hasTimeLeft(row: TaskRow, now: number): boolean {
  const task = readTask(row)
  return !('malformed' in task) && nextOccurrence(task.schedule, now) !== undefined
}

/** No run starts any more until somebody resumes the task; one notice says so. */
export async function autoPause(db: Database, parts: Parts, task: TaskRow, why: string): Promise<void> {
  const at = parts.clock.now()
  await db
    .updateTable('tasks')
    .set({ status: 'paused', pause_reason: 'auto', next_fire: null, due_at: null })
    .where('id', '=', task.id)
    .execute()
  await db
    .updateTable('runs')
    .set({
      state: 'ended',
      outcome: 'cancelled',
      finished_at: at,
      error: 'The task was paused before this run had started.',
    })
    .where('task_id', '=', task.id)
    .where('state', 'in', ['queued', 'waiting'])
    .execute()
  await recordActivity(db, {
    at,
    type: 'task_auto_paused',
    group: task.group_folder,
    taskId: task.id,
    summary: `Task ${titleOf(task)} was paused: ${why}.`,
  })
  const text = `The task ${titleOf(task)} is paused: ${why}. See what went wrong, then resume it with resume_task ${task.id}.`
  await notify(db, parts, task.group_folder, text, task.depth)
}

async function tellDeadRun(db: Database, parts: Parts, run: RunRow, end: RunEnd): Promise<void> {
  await recordDead(db, parts, run, end)
  const what = run.trigger_id === null ? 'a mail' : 'a trigger'
  const text = `The run ${run.id} for ${what} has failed for good: ${end.error ?? ''}`
  await notify(db, parts, run.group_folder, text, run.depth)
}

async function recordDead(db: Database, { clock }: Parts, run: RunRow, end: RunEnd): Promise<void> {
  await recordActivity(db, {
    at: clock.now(),
    type: 'run_dead',
    group: run.group_folder,
    ...(run.task_id !== null && { taskId: run.task_id }),
    runId: run.id,
    summary: `Run ${run.id} is given up: ${end.error ?? end.errorClass ?? 'unknown'}`,
    details: {
      scheduled_for: utcText(run.scheduled_for),
      attempts: run.attempts,
      error_class: end.errorClass ?? null,
    },
  })
}

async function notify(db: Database, { messages }: Parts, group: string, text: string, depth: number): Promise<void> {
  await messages.post(db, { group, depth, priority: 'notify', text, isNotice: true })
}
