import type { ToolError } from '@callboard/worker'
import { z } from 'zod'
import { taskIdPattern } from '../ids.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import type { Actor } from '../tools/actor.js'
import type { TaskRow } from './task-row.js'

export const taskIdParameter = z
  .string()
  .regex(taskIdPattern, 'must be the id of a task, like task_01JQ8Z6W4N3V5T7R9P2M1K0H8F')
  .describe('From schedule_task or list_tasks.')

/** A task that the caller may change. Throws the same NOT_FOUND for a cancelled, another group's and an unknown one. */
export async function findTask(db: Database, taskId: string, actor: Actor): Promise<TaskRow> {
  const row = await liveRow(db, taskId)
  if (row !== undefined && (actor.isAdmin || row.group_folder === actor.group.folder)) return row
  throw noTask(taskId)
}

/** Any group's, for operators. Throws NOT_FOUND. */
export async function findAnyTask(db: Database, taskId: string): Promise<TaskRow> {
  const row = await liveRow(db, taskId)
  if (row === undefined) throw noTask(taskId)
  return row
}

function liveRow(db: Database, taskId: string): Promise<TaskRow | undefined> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', taskId)
    .where('status', '!=', 'cancelled')
    .executeTakeFirst()
}

function noTask(taskId: string): ToolError {
  return refusal('NOT_FOUND', `There is no task ${taskId}.`, { hint: 'list_tasks shows the tasks there are.' })
}

export async function runningRunOf(db: Database, taskId: string): Promise<string | undefined> {
  const run = await db
    .selectFrom('runs')
    .select('id')
    .where('task_id', '=', taskId)
    .where('state', '=', 'running')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return run?.id
}
