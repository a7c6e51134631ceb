import { z } from 'zod'
import { jitterMsMax } from '../limits.js'
import { parseSchedule } from '../schedule/parse-schedule.js'
import type { Schedule } from '../schedule/schedule.js'
import { taskParameters } from './task-parameters.js'
import type { TaskRow } from './task-row.js'

/** A stored task that makes sense. */
export interface Task {
  readonly row: TaskRow
  readonly schedule: Schedule
  /** The direct call that it makes instead of starting an agent. */
  readonly call?: { readonly tool: string; readonly args: { readonly [key: string]: unknown } }
}

/** Somebody else wrote this row, or an older version did. */
export interface Malformed {
  /** What is wrong, as a clause: `jitter_ms: Too big…`. */
  readonly malformed: string
}

/** Never throws: one bad row must stop neither a list nor the engine. */
export function readTask(row: TaskRow): Task | Malformed {
  const checked = storedValues.safeParse(row)
  if (!checked.success) {
    const [issue] = checked.error.issues
    return { malformed: `${issue!.path.join('.')}: ${issue!.message}` }
  }
  const parsed = parseSchedule({
    type: row.schedule_type,
    value: row.schedule_value,
    timeZone: row.timezone,
    now: row.anchor,
    anchor: row.anchor,
    // It was checked when it was made; neither the time since nor a new limit makes it wrong.
    allowPast: true,
    minIntervalMs: leastIntervalMs,
  })
  if ('problem' in parsed)
    return { malformed: `${parsed.problem.parameter}: ${parsed.problem.reason.replace(/\.$/, '')}` }
  const { args } = checked.data
  return {
    row,
    schedule: parsed.schedule,
    ...(row.tool !== null && { call: { tool: row.tool, args: args ?? {} } }),
  }
}

const { schedule_type, context_mode, missed, overlap, expect, deliver } = taskParameters

/** No configuration allows less. Of a row with 1 ms, a week of missed slots does not fit into memory. */
const leastIntervalMs = 1_000

/** UTC ms; a Date holds 8.64e15, and the slots after it have to be dates, too. */
const storedTime = z.int().min(-8.6e15).max(8.6e15)

const storedValues = z.object({
  prompt: z.string().min(1),
  schedule_type,
  anchor: storedTime,
  next_fire: storedTime.nullable(),
  context_mode,
  missed,
  overlap,
  jitter_ms: z.int().min(0).max(jitterMsMax),
  expect,
  deliver,
  tool: z.string().min(1).nullable(),
  args: z
    .string()
    .nullable()
    .transform((text, context) => {
      const args = text === null ? null : parsedObject(text)
      if (args !== undefined) return args
      context.addIssue({ code: 'custom', message: 'not the JSON of an object' })
      return z.NEVER
    }),
  depth: z.int().min(0),
  failures: z.int().min(0),
})

function parsedObject(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {}
  return undefined
}
