import type { ToolError } from '@callboard/worker'
import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import { nextOccurrence } from '../schedule/occurrences.js'
import type { Actor } from '../tools/actor.js'
import { runningRunOf } from './find-task.js'
import type { TaskParts } from './task-parts.js'
import { readTask, type Task } from './task-records.js'
import { type TaskRow, titleOf } from './task-row.js'
import type { TaskState } from './task-state-reply.js'
import { dueAt } from './time-task.js'
import { upcomingFires } from './upcoming-fires.js'

/**
 * It fires again from now on: what would have fired meanwhile never does, and failures count anew. Part of the caller's
 * transaction; wake the engine after it. Throws CONFLICT when nothing would ever fire.
 */
export async function resumeTask(db: Database, parts: TaskParts, row: TaskRow, actor: Actor): Promise<TaskState> {
  const { clock } = parts
  const task = resumable(row, parts)
  if (row.status === 'active') return stateOf(db, row, task, false)
  const next = nextOccurrence(task.schedule, clock.now())
  if (next === undefined) throw tooLate(row)
  const resumed: TaskRow = { ...row, ...dueAt(row, next), status: 'active', pause_reason: null, failures: 0 }
  const { status, pause_reason, failures, next_fire, due_at } = resumed
  await db
    .updateTable('tasks')
    .set({ status, pause_reason, failures, next_fire, due_at })
    .where('id', '=', row.id)
    .execute()
  await recordActivity(db, {
    at: clock.now(),
    type: 'task_resumed',
    group: row.group_folder,
    taskId: row.id,
    summary: `Task ${titleOf(row)} was resumed.`,
    details: { by: actor.principal, nextFire: next },
  })
  return stateOf(db, resumed, task, true)
}

function resumable(row: TaskRow, { groups }: TaskParts): Task {
  if (row.status !== 'active' && row.status !== 'paused') {
    throw refusal('CONFLICT', `The task ${titleOf(row)} has ended (${row.status}).`, { hint: 'Schedule a new one.' })
  }
  if (groups.byFolder(row.group_folder) === undefined) {
    throw refusal('CONFLICT', `The group ${row.group_folder} of the task ${titleOf(row)} is not registered any more.`, {
      hint: 'An operator adds it to the groups file again.',
    })
  }
  const task = readTask(row)
  if (!('malformed' in task)) return task
  throw refusal('CONFLICT', `The task ${titleOf(row)} can't run: ${task.malformed}.`, {
    hint: 'An operator repairs it with set_task; or cancel it and schedule a new one.',
  })
}

function tooLate(row: TaskRow): ToolError {
  return refusal(
    'CONFLICT',
    `The time of the task ${titleOf(row)} has passed: ${row.schedule_value} ${row.timezone}.`,
    {
      hint: 'Schedule a new one.',
    },
  )
}

async function stateOf(db: Database, row: TaskRow, { schedule }: Task, changed: boolean): Promise<TaskState> {
  const runningRun = await runningRunOf(db, row.id)
  return { taskId: row.id, status: row.status, changed, nextFires: upcomingFires(row, schedule), runningRun }
}
