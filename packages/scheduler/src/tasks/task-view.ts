import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { promptShownMax } from '../limits.js'
import type { LastRun, ListedTask } from './list-tasks.js'
import { readTask } from './task-records.js'
import { fireShape, upcomingFires } from './upcoming-fires.js'

const lastRunShape = z.object({
  run_id: z.string(),
  outcome: z.string().nullable(),
  scheduled_for: z.string(),
  finished_at: z.string().nullable(),
  duration_ms: z.int().nullable(),
  error: z.string().nullable(),
})

/** What list_tasks shows of a task. */
export const taskViewShape = z.object({
  task_id: z.string(),
  name: z.string().nullable(),
  group: z.string(),
  prompt: z.string().describe(`At most ${promptShownMax} characters.`),
  schedule_type: z.string(),
  schedule_value: z.string(),
  timezone: z.string(),
  context_mode: z.string(),
  status: z.string().describe('active, paused, completed or failed.'),
  pause_reason: z.string().nullable(),
  running: z.boolean(),
  next_fires: z.array(fireShape).readonly().describe('Without jitter; none while it is paused.'),
  last_run: lastRunShape.nullable(),
  consecutive_failures: z.int(),
})

export function viewOf({ row, isRunning, lastRun }: ListedTask): z.output<typeof taskViewShape> {
  const task = readTask(row)
  return {
    task_id: row.id,
    name: row.name,
    group: row.group_folder,
    prompt: row.prompt,
    schedule_type: row.schedule_type,
    schedule_value: row.schedule_value,
    timezone: row.timezone,
    context_mode: row.context_mode,
    status: row.status,
    pause_reason: row.pause_reason,
    running: isRunning,
    next_fires: 'malformed' in task ? [] : upcomingFires(row, task.schedule),
    last_run: lastRun === undefined ? null : viewOfRun(lastRun),
    // Of a malformed row; one must not keep the others from being listed.
    consecutive_failures: Number.isSafeInteger(row.failures) ? row.failures : 0,
  }
}

function viewOfRun(run: LastRun): z.output<typeof lastRunShape> {
  return {
    run_id: run.id,
    outcome: run.outcome,
    scheduled_for: utcText(run.scheduled_for),
    finished_at: run.finished_at === null ? null : utcText(run.finished_at),
    duration_ms: durationOf(run),
    error: run.error,
  }
}

/** Null while it runs, and for what never ran. */
export function durationOf(run: { readonly started_at: number | null; readonly finished_at: number | null }) {
  const { started_at, finished_at } = run
  return started_at === null || finished_at === null ? null : Math.max(0, finished_at - started_at)
}
