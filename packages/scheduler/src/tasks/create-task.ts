import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import type { Actor } from '../tools/actor.js'
import { checkCreationRate, checkRoomForTask } from './task-limits.js'
import type { TaskParts } from './task-parts.js'
import { type TaskDefinition, type TaskRow, titleOf } from './task-row.js'
import { dueAt, timeTask } from './time-task.js'
import type { WrittenTask } from './written-task.js'

export interface NewTask {
  readonly definition: TaskDefinition
  /** Folder of the group that it runs as. */
  readonly group: string
  readonly allowPast: boolean
}

/** Part of the caller's transaction; wake the engine after it. Throws INVALID_ARGUMENT, RATE_LIMITED. */
export async function createTask(db: Database, parts: TaskParts, task: NewTask, actor: Actor): Promise<WrittenTask> {
  const { clock, config } = parts
  const { group, allowPast } = task
  const now = clock.now()
  const timed = timeTask(task.definition, { now, anchor: now, allowPast, minIntervalMs: config.min_interval_ms })
  const { definition } = timed
  await checkRoomForTask(db, group)
  await checkCreationRate(db, clock, group)
  const id = parts.newId('task')
  const row: TaskRow = {
    ...definition,
    ...originOf(actor),
    ...dueAt({ id, jitter_ms: definition.jitter_ms }, timed.firstFire),
    id,
    group_folder: group,
    anchor: now,
    status: 'active',
    pause_reason: null,
    failures: 0,
    version: 1,
    created_at: now,
    ended_at: null,
    cancelled_at: null,
  }
  await db.insertInto('tasks').values(row).execute()
  await recordActivity(db, {
    at: now,
    type: 'task_created',
    group,
    taskId: id,
    summary: `Task ${titleOf(row)} was created: ${row.schedule_type} ${row.schedule_value} (${row.timezone}).`,
    details: { by: actor.principal, schedule: row.schedule_value, tool: row.tool, depth: row.depth },
  })
  return { row, schedule: timed.schedule, warnings: timed.warnings }
}

/** For whom its runs act, and how deep they start: a task never forgets that a trigger led to it. */
export function originOf(actor: Actor): Pick<TaskRow, 'depth' | 'created_by' | 'creator_group'> {
  return { depth: actor.triggerDepth, created_by: actor.principal, creator_group: actor.group.folder }
}
