import { type LocalCron, localCron } from './local-cron.js'
import type { Schedule } from './schedule.js'
import { type ClockChange, clockChanges, offsetAt } from './zone-offsets.js'
import { wallTime } from './zones.js'

const dayMs = 24 * 60 * 60_000

/** What a clock change does to the fire at `slot`, or has done to those between it and the one before; only cron has such. */
export function fireNote(schedule: Schedule, previous: number, slot: number): string | undefined {
  if (schedule.type !== 'cron') return undefined
  const cron = localCron(schedule.pattern)
  const wall = slot + offsetAt(schedule.timeZone, slot)
  const near = clockChanges(schedule.timeZone, slot - dayMs, slot + dayMs)
  if (near.some((change) => isRepeated(change, wall))) return repeatNote(cron)
  return skipNote(cron, clockChanges(schedule.timeZone, previous, slot))
}

function isRepeated({ at, before, after }: ClockChange, wall: number): boolean {
  return at + after <= wall && wall < at + before
}

function repeatNote({ isFixed }: LocalCron): string {
  const which = isFixed ? 'only the first time' : 'both times'
  return `the clocks are set back, so this local time comes twice; the task runs ${which}.`
}

function skipNote(cron: LocalCron, changes: readonly ClockChange[]): string | undefined {
  for (const { at, before, after } of changes) {
    const skipped = cron.next(at + before - 1)
    if (skipped !== undefined && skipped < at + after) {
      const gap = `the clocks are set from ${wallTime(at + before)} to ${wallTime(at + after)}`
      return cron.isFixed
        ? `${gap}, so ${wallTime(skipped)} does not exist; the task runs at the first time that does.`
        : `${gap}, so ${wallTime(skipped)} does not exist; what falls between is left out.`
    }
  }
  return undefined
}
