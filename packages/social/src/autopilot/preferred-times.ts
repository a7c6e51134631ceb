import { Cron } from 'croner'
import type { SocialConfig } from '../config.js'

type Schedule = SocialConfig['schedule']

/** When the next post goes out: UTC ms of the next preferred time on an active day; undefined: as soon as it may. */
export function nextPostTime(schedule: Schedule, now: number): number | undefined {
  return earliest(schedule.preferred_times.map((time) => next(time, schedule.active_days, schedule.timezone, now)))
}

/** The same for a thread. A day without a time means the beginning of its active hours, a time without a day any active day. */
export function nextThreadTime(schedule: Schedule, now: number): number | undefined {
  const { thread_preferred_day: day, thread_preferred_time: time, active_days: active, timezone } = schedule
  if (day === undefined && time === undefined) return undefined
  return next(time ?? `${schedule.active_hours_start}:00`, day === undefined ? active : [day], timezone, now)
}

function next(time: string, days: readonly string[], timezone: string, now: number): number | undefined {
  const [hour, minute] = time.split(':').map(Number)
  const cron = new Cron(`${minute} ${hour} * * ${days.join(',')}`, { mode: '5-part', timezone, paused: true })
  return cron.nextRun(new Date(now))?.getTime()
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
