import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import type { Actor } from '../tools/actor.js'
import { runningRunOf } from './find-task.js'
import type { TaskParts } from './task-parts.js'
import { type TaskRow, titleOf } from './task-row.js'
import type { TaskState } from './task-state-reply.js'

/** No run of it starts any more; one that runs goes on. Part of the caller's transaction. Throws CONFLICT when it has ended. */
export async function pauseTask(db: Database, parts: TaskParts, row: TaskRow, actor: Actor): Promise<TaskState> {
  const runningRun = await runningRunOf(db, row.id)
  if (row.status === 'paused') return { taskId: row.id, status: 'paused', changed: false, runningRun }
  if (row.status !== 'active')
    throw refusal('CONFLICT', `The task ${titleOf(row)} has ended (${row.status}); there is nothing to pause.`)
  await db
    .updateTable('tasks')
    .set({ status: 'paused', pause_reason: 'requested', next_fire: null, due_at: null })
    .where('id', '=', row.id)
    .execute()
  await parts.scheduling.closeRuns(db, row.id, {
    text: 'The task was paused before this run had started.',
    running: false,
  })
  await recordActivity(db, {
    at: parts.clock.now(),
    type: 'task_paused',
    group: row.group_folder,
    taskId: row.id,
    summary: `Task ${titleOf(row)} was paused.`,
    details: { by: actor.principal },
  })
  return { taskId: row.id, status: 'paused', changed: true, runningRun }
}
