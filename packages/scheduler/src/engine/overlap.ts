import { utcText } from '@callboard/worker/utc-text'
import { recordActivity } from '../activity/record-activity.js'
import { queuedRunsPerTaskMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import type { TaskRow } from '../tasks/task-row.js'
import { closeRun } from './close-runs.js'
import { endRun } from './end-run.js'
import type { EngineParts } from './engine-parts.js'
import type { RunRow } from './run-row.js'

const openStates = ['queued', 'running', 'waiting'] as const

/** Of these tasks, those with runs that have not ended. */
export async function tasksWithOpenRuns(db: Database, taskIds: readonly string[]): Promise<ReadonlySet<string | null>> {
  if (taskIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('runs')
    .select('task_id')
    .distinct()
    .where('task_id', 'in', taskIds)
    .where('state', 'in', openStates)
    .execute()
  return new Set(rows.map(({ task_id }) => task_id))
}

/** What becomes of the new slot, and of older ones that have not ended. */
export async function resolveOverlap(db: Database, parts: EngineParts, task: TaskRow, slot: RunRow): Promise<void> {
  const older = await db
    .selectFrom('runs')
    .select(['id', 'state', 'fence'])
    .where('task_id', '=', task.id)
    .where('state', 'in', openStates)
    .where('id', '!=', slot.id)
    .execute()
  if (older.some(({ state }) => state === 'waiting')) await closeWaiting(db, parts, task)
  const running = older.filter(({ state }) => state === 'running')
  const queued = older.filter(({ state }) => state === 'queued').length
  if (queued >= queuedRunsPerTaskMax) return skip(db, parts, slot, `${queued} older slots of this task wait already`)
  if (running.length === 0 || task.overlap === 'allow') return
  if (task.overlap === 'skip') return skip(db, parts, slot, 'The slot before was still running')
  if (task.overlap === 'queue_one' && queued > 0) {
    return skip(db, parts, slot, 'The slot before was still running, and one waits already')
  }
  if (task.overlap === 'cancel_running') {
    for (const run of running) await closeRun(db, parts.clock.now(), run, 'The next slot of this task took its place.')
  }
}

/** A retry that waits does not keep the next slot from running. */
async function closeWaiting(db: Database, parts: EngineParts, task: TaskRow): Promise<void> {
  const waiting = await db
    .selectFrom('runs')
    .selectAll()
    .where('task_id', '=', task.id)
    .where('state', '=', 'waiting')
    .execute()
  for (const run of waiting) {
    const error = `The next slot came before its retry. Last: ${run.error ?? run.error_class ?? 'unknown'}`
    await endRun(db, parts, run, { outcome: 'failed', errorClass: run.error_class ?? 'superseded', error })
  }
}

async function skip(db: Database, parts: EngineParts, slot: RunRow, why: string): Promise<void> {
  await endRun(db, parts, slot, { outcome: 'skipped_overlap', error: `${why}.` })
  await recordActivity(db, {
    at: parts.clock.now(),
    type: 'run_skipped',
    group: slot.group_folder,
    taskId: slot.task_id!,
    runId: slot.id,
    summary: `The slot of ${utcText(slot.scheduled_for)} was skipped: ${why}.`,
  })
}
