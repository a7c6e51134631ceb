import { isTimeZoneName } from '@callboard/worker/time-zone-name'
import { Temporal } from '@js-temporal/polyfill'
import { zoneNamesCached } from '../limits.js'
import { BoundedCache } from './bounded-cache.js'
import { offsetAt } from './zone-offsets.js'

const names = new BoundedCache<{ readonly name: string | undefined }>(zoneNamesCached)

/** The name in the case in which it is registered; undefined where there is no such zone. Abbreviations, which mean several zones, are none. */
export function timeZoneName(name: string): string | undefined {
  if (name.length > 64) return undefined
  return names.get(name, () => ({ name: registeredName(name) })).name
}

function registeredName(name: string): string | undefined {
  if (!isTimeZoneName(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}

/** The zone of tasks that name none: `configured` (SCHEDULER_TZ), else `tz` (TZ), else `intl`, what Intl takes for the system's. */
export function systemTimeZone(sources: {
  readonly configured?: string | undefined
  readonly tz?: string | undefined
  readonly intl: string
}): { readonly timeZone: string; readonly warning?: string } {
  const { configured, tz, intl } = sources
  if (configured) return namedOrUtc('SCHEDULER_TZ', configured)
  // A leading colon is how POSIX marks a name.
  if (tz) return namedOrUtc('TZ', tz.replace(/^:/, ''))
  return namedOrUtc('the system', intl)
}

function namedOrUtc(source: string, name: string): { readonly timeZone: string; readonly warning?: string } {
  const timeZone = timeZoneName(name)
  if (timeZone !== undefined) return { timeZone }
  const warning = `The time zone of ${source}, ${JSON.stringify(name.slice(0, 80))}, is not an IANA name, so tasks are scheduled in UTC. Set SCHEDULER_TZ to a name like Europe/Paris.`
  return { timeZone: 'UTC', warning }
}

/** `2026-02-20T16:00:00`, as the clocks of the zone show it. */
export function localTime(instant: number, timeZone: string): string {
  return wallTime(instant + offsetAt(timeZone, instant))
}

/** For people: `2026-02-20 16:00`. */
export function localMinute(instant: number, timeZone: string): string {
  return localTime(instant, timeZone).slice(0, 16).replace('T', ' ')
}

/** What a clock shows, of ms since it showed 1970-01-01T00:00:00. */
export function wallTime(wall: number): string {
  return new Date(wall).toISOString().slice(0, -5)
}
