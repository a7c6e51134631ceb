import { Temporal } from '@js-temporal/polyfill'
import type { ScheduleProblem } from './schedule-problem.js'
import { problemOf, shown } from './schedule-problem.js'

const example = 'Write local time as YYYY-MM-DDTHH:MM:SS, for example 2026-02-20T16:00:00.'

export interface OnceTime {
  /** UTC ms. */
  readonly at: number
  readonly warnings: readonly string[]
}

/** A local time of the zone: the first valid instant where a clock change skips it, the earlier one where it comes twice. */
export function parseOnceTime(value: string, timeZone: string): OnceTime | ScheduleProblem {
  // Before Temporal, which drops an offset and takes second 60 for 59, both without a word.
  const form = formProblem(value) ?? clockProblem(value)
  if (form !== undefined) return form
  const wall = plainDateTime(value)
  if (wall === undefined) return problemOf(`There is no such day as ${value.slice(0, 10)}.`, example)
  return { at: instantOf(wall, timeZone), warnings: changeWarnings(wall, timeZone) }
}

function formProblem(value: string): ScheduleProblem | undefined {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(value)) return undefined
  if (/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}.*(Z|[+-]\d{2}:?(\d{2})?(:\d{2})?|\])$/i.test(value)) {
    const hint = `Leave the suffix out and name the zone in timezone. ${example}`
    return problemOf(`${shown(value)} has a zone or offset at its end; a once value is local time without one.`, hint)
  }
  return problemOf(`${shown(value)} is not of the form YYYY-MM-DDTHH:MM:SS.`, example)
}

function clockProblem(value: string): ScheduleProblem | undefined {
  const [hour, minute, second] = value.slice(11).split(':').map(Number)
  if (hour! <= 23 && minute! <= 59 && second! <= 59) return undefined
  const hint = 'Hours are 00 to 23, minutes and seconds 00 to 59; midnight is 00:00:00 of the day that begins.'
  return problemOf(`There is no such time as ${value.slice(11)}.`, hint)
}

function plainDateTime(value: string): Temporal.PlainDateTime | undefined {
  try {
    return Temporal.PlainDateTime.from(value, { overflow: 'reject' })
  } catch {
    return undefined
  }
}

function instantOf(wall: Temporal.PlainDateTime, timeZone: string): number {
  const earlier = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  if (earlier.toPlainDateTime().equals(wall)) return earlier.epochMilliseconds
  // In a gap Temporal's earlier lies before the clock is set, by as much as it is set.
  return earlier.getTimeZoneTransition('next')?.epochMilliseconds ?? earlier.epochMilliseconds
}

function changeWarnings(wall: Temporal.PlainDateTime, timeZone: string): readonly string[] {
  const earlier = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  const later = wall.toZonedDateTime(timeZone, { disambiguation: 'later' })
  if (earlier.equals(later)) return []
  const when = `${wall.toString()} in ${timeZone}`
  if (earlier.toPlainDateTime().equals(wall)) {
    return [`${when} comes twice, because the clocks are set back: the task runs the first time.`]
  }
  const first = earlier.getTimeZoneTransition('next')?.toPlainDateTime().toString() ?? 'the next valid time'
  return [`${when} does not exist, because the clocks are set forward: the task runs at ${first}.`]
}
