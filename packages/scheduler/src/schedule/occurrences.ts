import { occurrenceSearchMs } from '../limits.js'
import { type LocalCron, localCron } from './local-cron.js'
import type { Schedule } from './schedule.js'
import { firstInstantOf, offsetAt, stretchAt } from './zone-offsets.js'

/**
 * The next slot, strictly after `after`; undefined where there is none (a `once` that is over, a cron pattern that matches no
 * more). Where clocks are set, a pattern whose hour and minute are one number each runs once a day all the same: at the end of
 * the gap, at the first of two. Any other runs whenever the clock shows a matching time: not in a gap, twice in a repeat.
 */
export function nextOccurrence(schedule: Schedule, after: number): number | undefined {
  switch (schedule.type) {
    case 'once':
      return schedule.at > after ? schedule.at : undefined
    case 'interval':
      return nextBeat(schedule.anchor, schedule.everyMs, after)
    case 'cron': {
      const cron = localCron(schedule.pattern)
      const next = cron.isFixed ? nextDaily(cron, schedule.timeZone, after) : nextShown(cron, schedule.timeZone, after)
      return next !== undefined && next - after <= occurrenceSearchMs ? next : undefined
    }
  }
}

function nextBeat(anchor: number, everyMs: number, after: number): number {
  return anchor + Math.max(1, Math.floor((after - anchor) / everyMs) + 1) * everyMs
}

function nextDaily(cron: LocalCron, timeZone: string, after: number): number | undefined {
  let wall = cron.next(after + offsetAt(timeZone, after))
  while (wall !== undefined) {
    const instant = firstInstantOf(timeZone, wall)
    // In the second pass of a repeated hour the first of the two may be over.
    if (instant > after) return instant
    wall = cron.next(wall)
  }
  return undefined
}

function nextShown(cron: LocalCron, timeZone: string, after: number): number | undefined {
  let stretch = stretchAt(timeZone, after)
  let seen = after
  // A pattern may name nothing but times that gaps swallow, every year: the search has an end.
  while (seen - after <= occurrenceSearchMs) {
    const wall = cron.next(seen + stretch.offsetMs)
    if (wall === undefined) return undefined
    if (wall - stretch.offsetMs < stretch.until) return wall - stretch.offsetMs
    seen = stretch.until - 1
    stretch = stretchAt(timeZone, stretch.until)
  }
  return undefined
}
