import type { SocialConfig } from '../config.js'

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/**
 * Whether the clock on the wall of that zone shows an active hour of an active day. Hours that wrap midnight belong to the
 * day on which they begin; equal ones are the whole day.
 */
export function isActive(schedule: SocialConfig['schedule'], now: number): boolean {
  const { active_hours_start: start, active_hours_end: end, active_days: active } = schedule
  const { day, hour } = wallTime(schedule.timezone, now)
  const isOn = (index: number) => active.includes(days[(index + 7) % 7]!)
  if (start === end) return isOn(day)
  if (start < end) return hour >= start && hour < end && isOn(day)
  return hour >= start ? isOn(day) : hour < end && isOn(day - 1)
}

/** Day of the week, Sunday is 0, and hour, 0 to 23. */
function wallTime(timeZone: string, now: number): { readonly day: number; readonly hour: number } {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' })
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const day = days.indexOf(parts.get('weekday')!.toLowerCase() as (typeof days)[number])
  return { day, hour: Number(parts.get('hour')) }
}
