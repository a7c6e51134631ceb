import { utcText } from '@callboard/worker/utc-text'
import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import type { FirePlan } from '../schedule/missed.js'
import { type TaskRow, titleOf } from '../tasks/task-row.js'
import type { EngineParts } from './engine-parts.js'
import { insertSlots } from './insert-slots.js'
import { queuedRun, type RunRow } from './run-row.js'

/** The slots that nobody was there for, and are not made up for. */
export async function recordMissed(db: Database, parts: EngineParts, task: TaskRow, plan: FirePlan): Promise<void> {
  const { missed, missedMore } = plan
  if (missed.length === 0 && missedMore === undefined) return
  const now = parts.clock.now()
  const rows = missed.map((slot) => missedRun(parts, task, slot, now, 1))
  if (missedMore !== undefined) {
    const text = `${missedMore.isCountExact ? '' : 'At least '}${missedMore.count} slots from ${utcText(missedMore.from)} to ${utcText(missedMore.to)}.`
    rows.push({ ...missedRun(parts, task, missedMore.to, now, missedMore.count), error: text })
  }
  await insertSlots(db, rows)
  const count = missed.length + (missedMore?.count ?? 0)
  await recordActivity(db, {
    at: now,
    type: 'run_missed',
    group: task.group_folder,
    taskId: task.id,
    summary: `Task ${titleOf(task)} missed ${missedMore?.isCountExact === false ? 'at least ' : ''}${count} slots; ${plan.run.length} of them run now.`,
    details: { slots: count, policy: task.missed },
  })
  if (task.schedule_type === 'once' && plan.run.length === 0) await endMissedOnce(db, parts, task)
}

async function endMissedOnce(db: Database, { clock, messages }: EngineParts, task: TaskRow): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ status: 'failed', ended_at: clock.now(), next_fire: null, due_at: null })
    .where('id', '=', task.id)
    .execute()
  const text = `The task ${titleOf(task)} was due at ${utcText(task.next_fire!)} while nothing ran here, and is not made up for.`
  await messages.post(db, {
    group: task.group_folder,
    depth: task.depth,
    priority: 'notify',
    text,
    isNotice: true,
  })
}

function missedRun(parts: EngineParts, task: TaskRow, slot: number, now: number, slots: number): RunRow {
  return {
    ...queuedRun({
      id: parts.newId('run'),
      taskId: task.id,
      group: task.group_folder,
      depth: task.depth,
      scheduledFor: slot,
      dueAt: slot,
      createdAt: now,
      serial: false,
      exclusive: false,
      lateMs: now - slot,
    }),
    state: 'ended',
    outcome: 'missed',
    slots,
    finished_at: now,
    error: 'Nothing ran here at that time.',
  }
}
