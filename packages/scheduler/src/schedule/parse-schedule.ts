import { intervalMsMax } from '../limits.js'
import { parseCronPattern } from './cron-pattern.js'
import { nextOccurrence } from './occurrences.js'
import { parseOnceTime } from './once-time.js'
import type { Schedule } from './schedule.js'
import { problemOf, type ScheduleProblem, shown } from './schedule-problem.js'
import { localTime, timeZoneName } from './zones.js'

export type { ScheduleProblem } from './schedule-problem.js'

export interface ScheduleInput {
  readonly type: 'cron' | 'interval' | 'once'
  /** Five cron fields, whole milliseconds, or local time. */
  readonly value: string
  readonly timeZone: string
  /** UTC ms. */
  readonly now: number
  /** From which an interval counts, UTC ms; now, unless given. */
  readonly anchor?: number
  /** A `once` that is over is no problem. */
  readonly allowPast?: boolean
  readonly minIntervalMs: number
}

export type ParsedSchedule =
  | { readonly schedule: Schedule; readonly warnings: readonly string[] }
  | { readonly problem: ScheduleProblem }

/** The only way to a Schedule: what passes here has a next occurrence, but for a `once` with `allowPast`. */
export function parseSchedule(input: ScheduleInput): ParsedSchedule {
  const timeZone = timeZoneName(input.timeZone)
  if (timeZone === undefined) return { problem: zoneProblem(input.timeZone) }
  switch (input.type) {
    case 'cron':
      return parseCron(input, timeZone)
    case 'interval':
      return parseInterval(input, timeZone)
    case 'once':
      return parseOnce(input, timeZone)
  }
}

function parseCron({ value, now }: ScheduleInput, timeZone: string): ParsedSchedule {
  const parsed = parseCronPattern(value)
  if ('reason' in parsed) return { problem: parsed }
  const schedule: Schedule = { type: 'cron', pattern: parsed.pattern, timeZone }
  if (nextOccurrence(schedule, now) === undefined) {
    const hint = 'Check that the day exists in the month, and the time on the days on which clocks are set.'
    return { problem: problemOf(`${shown(parsed.pattern)} never fires: no time matches it.`, hint) }
  }
  return { schedule, warnings: [] }
}

function parseInterval({ value, now, anchor = now, minIntervalMs }: ScheduleInput, timeZone: string): ParsedSchedule {
  const hint = `From ${minIntervalMs} to ${intervalMsMax} (366 days), for example 3600000 for an hour.`
  if (!/^[1-9][0-9]*$/.test(value)) {
    return { problem: problemOf(`${shown(value)} is not an interval in whole milliseconds, in digits alone.`, hint) }
  }
  const everyMs = Number(value)
  if (everyMs < minIntervalMs || everyMs > intervalMsMax) {
    return { problem: problemOf(`An interval of ${shown(value)} milliseconds is out of range.`, hint) }
  }
  return { schedule: { type: 'interval', everyMs, anchor, timeZone }, warnings: [] }
}

function parseOnce({ value, now, allowPast = false }: ScheduleInput, timeZone: string): ParsedSchedule {
  const parsed = parseOnceTime(value, timeZone)
  if ('reason' in parsed) return { problem: parsed }
  const schedule: Schedule = { type: 'once', at: parsed.at, timeZone }
  if (parsed.at > now) return { schedule, warnings: parsed.warnings }
  const past = `${value} is past: it is ${localTime(now, timeZone)} in ${timeZone}.`
  if (allowPast) return { schedule, warnings: [...parsed.warnings, `${past} The task runs at once.`] }
  return { problem: problemOf(past, 'Give a later time, or set allow_past to run the task at once.') }
}

function zoneProblem(name: string): ScheduleProblem {
  return {
    parameter: 'timezone',
    reason: `${shown(name)} is no IANA time zone.`,
    hint: 'Write a name like Europe/Paris, America/New_York or UTC; no offset, abbreviation or POSIX rule.',
  }
}
