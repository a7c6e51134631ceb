import { missedCountedMax, missedRowsMax } from '../limits.js'
import { nextOccurrence } from './occurrences.js'
import type { Schedule } from './schedule.js'

/** Slots that are told in one sentence. */
export interface SlotCount {
  /** The least there are, unless it is exact. */
  readonly count: number
  /** The oldest. */
  readonly from: number
  /** The newest, or, where the count is not exact, a time before which all of them lie. */
  readonly to: number
  readonly isCountExact: boolean
}

/** Slots that are due, each list oldest first. */
export interface DueSlots {
  /** Those before the older ones that are listed. */
  readonly uncounted?: SlotCount
  /** Before the window. */
  readonly older: readonly number[]
  /** In the window: all of them. A `once` is always here. */
  readonly recent: readonly number[]
}

/** The slots from `from`, which is one, to `now`. Costs what the window holds, however long ago `from` was. */
export function dueSlots(schedule: Schedule, from: number, now: number, windowStart: number): DueSlots {
  switch (schedule.type) {
    case 'once':
      return { older: [], recent: [from] }
    case 'interval':
      return dueBeats(schedule.everyMs, from, now, windowStart)
    case 'cron':
      return dueTimes(schedule, from, now, windowStart)
  }
}

function dueBeats(everyMs: number, from: number, now: number, windowStart: number): DueSlots {
  const slot = (index: number) => from + index * everyMs
  const total = Math.floor((now - from) / everyMs) + 1
  const before = Math.max(0, Math.ceil((windowStart - from) / everyMs))
  const older = Math.min(before, total)
  const uncounted = Math.max(0, older - missedRowsMax)
  return {
    ...(uncounted > 0 && {
      uncounted: { count: uncounted, from, to: slot(uncounted - 1), isCountExact: true },
    }),
    older: indexes(uncounted, older).map(slot),
    recent: indexes(older, total).map(slot),
  }
}

function dueTimes(schedule: Schedule, from: number, now: number, windowStart: number): DueSlots {
  if (from >= windowStart) return { older: [], recent: timesUntil(schedule, from, now) }
  const recent = timesUntil(schedule, nextOccurrence(schedule, windowStart - 1), now)
  const older = timesUntil(schedule, from, windowStart - 1, missedCountedMax)
  if (older.length < missedCountedMax) return { older, recent }
  const uncounted = { count: older.length, from, to: windowStart, isCountExact: false }
  return { uncounted, older: [], recent }
}

function timesUntil(schedule: Schedule, from: number | undefined, end: number, countMax = Infinity): number[] {
  const times: number[] = []
  for (let slot = from; slot !== undefined && slot <= end; slot = nextOccurrence(schedule, slot)) {
    if (times.length >= countMax) break
    times.push(slot)
  }
  return times
}

function indexes(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index)
}
