import { z } from 'zod'
import type { Group } from '../groups/group.js'
import { firesPerDay, fireWarnings } from '../schedule/fires.js'
import type { Schedule } from '../schedule/schedule.js'
import type { Reply } from '../tools/scheduler-tool.js'
import { type TaskRow, titleOf } from './task-row.js'
import { comingSchedule, fireShape, upcomingFires } from './upcoming-fires.js'

/** A task as it has just been stored. */
export interface WrittenTask {
  readonly row: TaskRow
  readonly schedule: Schedule
  /** What whoever wrote it should know. */
  readonly warnings: readonly string[]
}

/** What schedule_task and set_task answer. */
export const writtenTaskShape = z.object({
  task_id: z.string(),
  created: z.boolean().describe('false: a task that was there has been changed.'),
  status: z.string(),
  schedule_type: z.string(),
  schedule_value: z.string(),
  timezone: z.string(),
  context_mode: z.string(),
  next_fires: z.array(fireShape).readonly().describe('Without jitter.'),
  fires_per_day: z.number(),
  warnings: z.array(z.string()).readonly(),
})

export function writtenTaskReply(
  written: WrittenTask,
  { created, group, now }: { readonly created: boolean; readonly group: Group | undefined; readonly now: number },
): Reply<z.output<typeof writtenTaskShape>> {
  const { row, schedule } = written
  const next_fires = upcomingFires(row, schedule)
  const coming = comingSchedule(row, schedule) ?? { schedule, after: now }
  const warnings = [...written.warnings, ...fireWarnings(coming.schedule, coming.after), ...circumstances(row, group)]
  const value = {
    task_id: row.id,
    created,
    status: row.status,
    schedule_type: row.schedule_type,
    schedule_value: row.schedule_value,
    timezone: row.timezone,
    context_mode: row.context_mode,
    next_fires,
    fires_per_day: firesPerDay(coming.schedule, coming.after),
    warnings,
  }
  const [first] = next_fires
  const next = first === undefined ? `It is ${row.status}.` : `Next fire: ${first.local} ${row.timezone}.`
  const text = `${created ? 'Created' : 'Changed'} task ${titleOf(row)}. ${next}`
  return { value, text: [text, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n') }
}

function circumstances(row: TaskRow, group: Group | undefined): string[] {
  const warnings: string[] = []
  if (row.status === 'paused') warnings.push('The task is still paused: resume_task starts it.')
  if (row.tool === null && group?.runner === undefined) {
    warnings.push(
      `The group ${row.group_folder} has no runner, so its runs fail: an operator adds one to the groups file, or give tool.`,
    )
  }
  return warnings
}
