import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import type { Actor } from '../tools/actor.js'
import { originOf } from './create-task.js'
import { checkRestartRate, checkRoomForTask } from './task-limits.js'
import type { TaskParts } from './task-parts.js'
import { type TaskDefinition, type TaskRow, titleOf } from './task-row.js'
import { dueAt, type TimedTask, timeTask } from './time-task.js'
import type { WrittenTask } from './written-task.js'

export interface TaskChange {
  readonly definition: TaskDefinition
  /** Whether the caller said when it runs: only then a time that has passed matters, and an ended task starts anew. */
  readonly timed: boolean
  readonly allowPast: boolean
  /** Whether all of it is the caller's from now on, so that its runs act for the caller. */
  readonly takenOver: boolean
}

/** Part of the caller's transaction; wake the engine after it. Throws INVALID_ARGUMENT, RATE_LIMITED, CONFLICT. */
export async function changeTask(
  db: Database,
  parts: TaskParts,
  row: TaskRow,
  change: TaskChange,
  actor: Actor,
): Promise<WrittenTask> {
  const timed = timeChange(row, change, parts)
  const { definition } = timed
  const restarts = change.timed && (change.allowPast || !keepsFire(row, definition))
  const revived = restarts && row.ended_at !== null
  if (revived) await checkRoomForTask(db, row.group_folder)
  if (restarts && definition.schedule_type === 'once') await checkRestartRate(db, parts.clock, row)
  await checkNameIsFree(db, row, definition)
  const changed: TaskRow = {
    ...row,
    ...definition,
    ...(change.takenOver && originOf(actor)),
    ...(revived && { status: 'active', ended_at: null, failures: 0 }),
    anchor: anchorOf(row, definition, parts.clock.now()),
    version: row.version + 1,
  }
  const fire = restarts ? timed.firstFire : row.next_fire
  const written = { ...changed, ...dueAt(changed, changed.status === 'active' ? fire : null) }
  await db.updateTable('tasks').set(written).where('id', '=', row.id).execute()
  if (restarts || !keepsSlots(row, definition)) {
    await parts.scheduling.closeRuns(db, row.id, {
      text: 'The task was changed before this run had started.',
      running: false,
    })
  }
  await recordUpdate(db, parts, written, actor)
  return { row: written, schedule: timed.schedule, warnings: change.timed ? timed.warnings : [] }
}

function timeChange(row: TaskRow, { definition, timed, allowPast }: TaskChange, parts: TaskParts): TimedTask {
  const now = parts.clock.now()
  return timeTask(definition, {
    now,
    anchor: anchorOf(row, definition, now),
    allowPast: allowPast || !timed,
    minIntervalMs: timed ? parts.config.min_interval_ms : 1,
  })
}

/** An interval goes on counting as it did: a task that is declared again at each start must not move away for ever. */
function anchorOf(row: TaskRow, definition: TaskDefinition, now: number): number {
  return same(row, definition, ['schedule_type', 'schedule_value']) ? row.anchor : now
}

/** The same schedule keeps its next slot, which may be due by now. */
function keepsFire(row: TaskRow, definition: TaskDefinition): boolean {
  const isLive = row.status === 'paused' || (row.status === 'active' && row.next_fire !== null)
  return isLive && same(row, definition, ['schedule_type', 'schedule_value', 'timezone'])
}

/** Whether runs that wait are still what the task would make. */
function keepsSlots(row: TaskRow, definition: TaskDefinition): boolean {
  return same(row, definition, ['context_mode', 'overlap', 'tool'])
}

function same(row: TaskRow, definition: TaskDefinition, columns: readonly (keyof TaskDefinition)[]): boolean {
  return columns.every((column) => row[column] === definition[column])
}

async function checkNameIsFree(db: Database, row: TaskRow, { name }: TaskDefinition): Promise<void> {
  if (name === null || name === row.name) return
  const holder = await db
    .selectFrom('tasks')
    .select('id')
    .where('group_folder', '=', row.group_folder)
    .where('name', '=', name)
    .where('cancelled_at', 'is', null)
    .executeTakeFirst()
  if (holder === undefined) return
  throw refusal(
    'CONFLICT',
    `The name ${JSON.stringify(name)} is that of ${holder.id} in the group ${row.group_folder}.`,
  )
}

async function recordUpdate(db: Database, { clock }: TaskParts, row: TaskRow, actor: Actor): Promise<void> {
  await recordActivity(db, {
    at: clock.now(),
    type: 'task_updated',
    group: row.group_folder,
    taskId: row.id,
    summary: `Task ${titleOf(row)} was changed: ${row.schedule_type} ${row.schedule_value} (${row.timezone}).`,
    details: { by: actor.principal, version: row.version, schedule: row.schedule_value, tool: row.tool },
  })
}
