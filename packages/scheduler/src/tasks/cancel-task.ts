import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import type { Actor } from '../tools/actor.js'
import { runningRunOf } from './find-task.js'
import type { TaskParts } from './task-parts.js'
import { type TaskRow, titleOf } from './task-row.js'

/**
 * For good: what it was to do is forgotten, what it did is not. Part of the caller's transaction; waking the engine after it
 * stops what ran. Returns the run that is being stopped.
 */
export async function cancelTask(
  db: Database,
  parts: TaskParts,
  row: TaskRow,
  actor: Actor,
): Promise<string | undefined> {
  const now = parts.clock.now()
  const stopped = await runningRunOf(db, row.id)
  await db
    .updateTable('tasks')
    .set({ status: 'cancelled', cancelled_at: now, prompt: '', args: null, next_fire: null, due_at: null })
    .where('id', '=', row.id)
    .execute()
  await parts.scheduling.closeRuns(db, row.id, { text: 'The task was cancelled.', running: true })
  await recordActivity(db, {
    at: now,
    type: 'task_cancelled',
    group: row.group_folder,
    taskId: row.id,
    ...(stopped !== undefined && { runId: stopped }),
    summary: `Task ${titleOf(row)} was cancelled.`,
    details: { by: actor.principal },
  })
  return stopped
}
