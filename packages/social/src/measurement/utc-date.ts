import { utcText } from '@callboard/worker/utc-text'
import { dayMs } from '../limits.js'

/** `2026-03-02`. */
export function utcDate(time: number): string {
  return utcText(time).slice(0, 10)
}

/** UTC ms of the midnight with which the window of so many UTC days begins, today's being the last one. */
export function windowStart(days: number, now: number): number {
  return Math.floor(now / dayMs) * dayMs - (days - 1) * dayMs
}
