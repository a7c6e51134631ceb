import { zoneYearsCached } from '../limits.js'
import { BoundedCache } from './bounded-cache.js'

/** Offsets are ms that the local clock is ahead of UTC; a wall time is an instant and its offset. Zones were checked before. */

/** A time through which a zone keeps one offset. It may end without a change: each ends with its year at the latest. */
export interface Stretch {
  readonly from: number
  /** The first instant that is no longer part of it. */
  readonly until: number
  readonly offsetMs: number
}

/** The clock is set, at `at`, from one offset to another. */
export interface ClockChange {
  readonly at: number
  readonly before: number
  readonly after: number
}

const dayMs = 24 * 60 * 60_000

/** The stretch that an instant is in. */
export function stretchAt(timeZone: string, instant: number): Stretch {
  const stretches = stretchesOf(timeZone, new Date(instant).getUTCFullYear())
  return stretches.find(({ until }) => instant < until) ?? stretches.at(-1)!
}

export function offsetAt(timeZone: string, instant: number): number {
  return stretchAt(timeZone, instant).offsetMs
}

/** The first instant at which the local clock has reached `wall`: the end of the gap where it skips that time, the first of two where it repeats it. */
export function firstInstantOf(timeZone: string, wall: number): number {
  // No zone is more than a day from UTC, so this is before the instant.
  let stretch = stretchAt(timeZone, wall - dayMs)
  while (wall >= stretch.until + stretch.offsetMs) stretch = stretchAt(timeZone, stretch.until)
  return Math.max(stretch.from, wall - stretch.offsetMs)
}

/** Those after `from` and up to `to`, in order. */
export function clockChanges(timeZone: string, from: number, to: number): readonly ClockChange[] {
  const changes: ClockChange[] = []
  let stretch = stretchAt(timeZone, from)
  while (stretch.until <= to) {
    const next = stretchAt(timeZone, stretch.until)
    if (next.offsetMs !== stretch.offsetMs) {
      changes.push({ at: next.from, before: stretch.offsetMs, after: next.offsetMs })
    }
    stretch = next
  }
  return changes
}

const years = new BoundedCache<readonly Stretch[]>(zoneYearsCached)

function stretchesOf(timeZone: string, year: number): readonly Stretch[] {
  return years.get(`${timeZone} ${year}`, () => measureStretches(timeZone, year))
}

/** Intl tells no changes, only what the clock shows: so every day of the year is asked, and a change is searched within its day. */
function measureStretches(timeZone: string, year: number): readonly Stretch[] {
  const offset = offsetMeter(timeZone)
  const end = startOfYear(year + 1)
  const stretches: Stretch[] = []
  let from = startOfYear(year)
  let offsetMs = offset(from)
  for (let day = from; day < end; day += dayMs) {
    const nextOffset = offset(day + dayMs)
    if (nextOffset === offsetMs) continue
    const change = firstInstantWith((instant) => offset(instant) !== offsetMs, day, day + dayMs)
    stretches.push({ from, until: change, offsetMs })
    from = change
    offsetMs = nextOffset
  }
  // A change at the very end begins the next year.
  if (from < end) stretches.push({ from, until: end, offsetMs })
  return stretches
}

/** Between a bound where it does not hold and one where it does; to the second, finer than any clock is set. */
function firstInstantWith(holds: (instant: number) => boolean, below: number, above: number): number {
  let [no, yes] = [below / 1_000, above / 1_000]
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (holds(middle * 1_000)) yes = middle
    else no = middle
  }
  return yes * 1_000
}

function offsetMeter(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (instant) => {
    const shown = /^(\d+)\/(\d+)\/(\d+) (\w)\w*, (\d+):(\d+):(\d+)$/.exec(format.format(instant))
    if (shown === null) throw new Error(`Intl shows a time of ${timeZone} in a form that is not expected.`)
    const [month, day, year, hour, minute, second] = [1, 2, 3, 5, 6, 7].map((index) => Number(shown[index]))
    const wall = new Date(0)
    // Not Date.UTC, which takes the years 0 to 99 for those of the last century.
    wall.setUTCFullYear(shown[4] === 'B' ? 1 - year! : year!, month! - 1, day)
    wall.setUTCHours(hour!, minute, second)
    return wall.getTime() - instant
  }
}

function startOfYear(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1)
}
