import { fireNote } from './fire-note.js'
import { localCron } from './local-cron.js'
import { nextOccurrence } from './occurrences.js'
import type { Schedule } from './schedule.js'
import { localTime } from './zones.js'

export interface Fire {
  /** `YYYY-MM-DDTHH:MM:SS` in the schedule's zone. */
  readonly local: string
  /** The same with `Z`. */
  readonly utc: string
  /** What a clock change does to it. */
  readonly note?: string
}

const dayMs = 24 * 60 * 60_000
/** Whole weeks, so that a pattern for Mondays has the same average every day. */
const averagedDays = 52 * 7
const firesPerDayUnwarned = 24
const firesShown = 3

/** The next fires, without jitter; fewer than `count` where fewer exist. */
export function describeFires(schedule: Schedule, after: number, count = firesShown): readonly Fire[] {
  const fires: Fire[] = []
  let previous = after
  while (fires.length < count) {
    const slot = nextOccurrence(schedule, previous)
    if (slot === undefined) break
    const note = fireNote(schedule, previous, slot)
    fires.push({
      local: localTime(slot, schedule.timeZone),
      utc: new Date(slot).toISOString().replace('.000Z', 'Z'),
      ...(note !== undefined && { note }),
    })
    previous = slot
  }
  return fires
}

/** On average, to two digits; of a cron pattern over the 52 weeks that follow, clock changes aside. A `once` to come counts 1. */
export function firesPerDay(schedule: Schedule, after: number): number {
  switch (schedule.type) {
    case 'once':
      return schedule.at > after ? 1 : 0
    case 'interval':
      return rounded(dayMs / schedule.everyMs)
    case 'cron':
      return rounded((firesOnItsDays(schedule) * matchingDays(schedule.pattern, after)) / averagedDays)
  }
}

/** What whoever made the schedule may not have meant: very many fires, or fires that a clock change touches. */
export function fireWarnings(schedule: Schedule, after: number): readonly string[] {
  const fires = firesOnItsDays(schedule)
  const many =
    fires > firesPerDayUnwarned
      ? [`This schedule fires ${rounded(fires)} times a day; more than ${firesPerDayUnwarned} are seldom meant.`]
      : []
  const touched = describeFires(schedule, after).flatMap(({ local, note }) =>
    note === undefined ? [] : [`The fire of ${local} (${schedule.timeZone}): ${note}`],
  )
  return [...many, ...touched]
}

/** A pattern for Mondays fires on no other day: what counts is how often on a Monday. */
function firesOnItsDays(schedule: Schedule): number {
  switch (schedule.type) {
    case 'once':
      return 1
    case 'interval':
      return dayMs / schedule.everyMs
    case 'cron':
      return localCron(schedule.pattern).times.length
  }
}

function matchingDays(pattern: string, after: number): number {
  const cron = localCron(pattern)
  const end = after + averagedDays * dayMs
  let days = 0
  let day = cron.dayFrom(Math.ceil(after / dayMs) * dayMs)
  while (day !== undefined && day < end) {
    days += 1
    day = cron.dayFrom(day + dayMs)
  }
  return days
}

function rounded(fires: number): number {
  return fires < 1 ? Number(fires.toPrecision(2)) : Math.round(fires * 100) / 100
}
