import { refusal } from '../refusal.js'
import { jitterMax, jitterOf } from '../schedule/jitter.js'
import { nextOccurrence } from '../schedule/occurrences.js'
import { parseSchedule } from '../schedule/parse-schedule.js'
import type { Schedule } from '../schedule/schedule.js'
import { invalidParameter } from './invalid-parameter.js'
import type { TaskDefinition, TaskRow } from './task-row.js'

export interface TimedTask {
  /** With the zone under its own name. */
  readonly definition: TaskDefinition
  readonly schedule: Schedule
  /** Slot that comes first, UTC ms. */
  readonly firstFire: number
  readonly warnings: readonly string[]
}

export interface TimingOptions {
  /** UTC ms. */
  readonly now: number
  /** From which an interval counts, UTC ms. */
  readonly anchor: number
  readonly allowPast: boolean
  readonly minIntervalMs: number
}

/** When a task as defined runs. Throws INVALID_ARGUMENT that names the parameter. */
export function timeTask(definition: TaskDefinition, options: TimingOptions): TimedTask {
  const { now } = options
  const parsed = parseSchedule({
    ...options,
    type: definition.schedule_type,
    value: definition.schedule_value,
    timeZone: definition.timezone,
  })
  if ('problem' in parsed) {
    const { parameter, reason, hint } = parsed.problem
    throw refusal('INVALID_ARGUMENT', `${parameter}: ${reason}`, { ...(hint !== undefined && { hint }) })
  }
  const { schedule, warnings } = parsed
  checkJitter(definition.jitter_ms, schedule, now)
  const timedDefinition = { ...definition, timezone: schedule.timeZone }
  return { definition: timedDefinition, schedule, firstFire: firstFireOf(definition, schedule, now), warnings }
}

/** The columns that make a task fire at a slot, or at none. */
export function dueAt(
  task: Pick<TaskRow, 'id' | 'jitter_ms'>,
  slot: number | null,
): Pick<TaskRow, 'next_fire' | 'due_at'> {
  return { next_fire: slot, due_at: slot === null ? null : slot + jitterOf(task.id, slot, task.jitter_ms) }
}

function checkJitter(jitterMs: number, schedule: Schedule, now: number): void {
  const max = jitterMax(schedule, now)
  if (jitterMs <= max) return
  throw invalidParameter(
    'jitter_ms',
    jitterMs,
    `must be 0 to ${max}: half the shortest gap between two fires, at most 1 h`,
  )
}

/** A time that has passed, where that is allowed, means now: what is long overdue would be taken for missed. */
function firstFireOf(definition: TaskDefinition, schedule: Schedule, now: number): number {
  if (schedule.type === 'once') return Math.max(schedule.at, now)
  const next = nextOccurrence(schedule, now)
  if (next === undefined) throw invalidParameter('schedule_value', definition.schedule_value, 'never fires again')
  return next
}
