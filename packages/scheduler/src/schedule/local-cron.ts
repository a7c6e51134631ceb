import { Cron, CronPattern } from 'croner'
import { cronPatternsCached } from '../limits.js'
import { BoundedCache } from './bounded-cache.js'

const dayMs = 24 * 60 * 60_000
const minuteMs = 60_000

/**
 * A cron pattern on the clock on the wall: it knows no zone, and so no clock change. A wall time is what the clock shows,
 * as ms of the UTC instant that shows the same; croner says which days match, and which minutes of them. Asked in a zone,
 * croner takes 0.1 ms for each occurrence, a second for those of a week that a task of every minute has missed.
 */
export class LocalCron {
  /** Hour and minute are one number each, so it means one time of the day. */
  readonly isFixed: boolean
  /** ms since midnight, ascending, the same on each day that matches. Never empty. */
  readonly times: readonly number[]
  readonly #days: Cron
  /** The first matching day from `from` on is `next`; so it is for every day between. */
  #known: { readonly from: number; readonly next: number | undefined } | undefined

  /** Throws croner's TypeError or RangeError where the pattern is none. */
  constructor(pattern: string) {
    const [minute, hour, ...days] = pattern.split(' ')
    const { minute: minutes, hour: hours } = new CronPattern(pattern, undefined, { mode: '5-part' })
    this.isFixed = [minute, hour].every((field) => field !== undefined && /^\d+$/.test(field))
    this.times = indexesOf(hours).flatMap((h) => indexesOf(minutes).map((m) => (h * 60 + m) * minuteMs))
    // An offset, not the zone UTC: croner then leaves Intl alone, which takes most of its time.
    this.#days = new Cron(`0 0 ${days.join(' ')}`, { mode: '5-part', utcOffset: 0, paused: true })
  }

  /** The first matching wall time strictly after `wall`. */
  next(wall: number): number | undefined {
    const midnight = Math.floor(wall / dayMs) * dayMs
    const today = this.dayFrom(midnight)
    if (today === undefined) return undefined
    const later = today === midnight ? firstAbove(this.times, wall - midnight) : this.times[0]
    if (later !== undefined) return today + later
    const day = this.dayFrom(midnight + dayMs)
    return day === undefined ? undefined : day + this.times[0]!
  }

  /** The midnight with which the first matching day begins, at `midnight` or later. */
  dayFrom(midnight: number): number | undefined {
    const known = this.#known
    if (known !== undefined && known.from <= midnight && (known.next === undefined || midnight <= known.next)) {
      return known.next
    }
    const next = this.#days.nextRun(new Date(midnight - 1))?.getTime()
    this.#known = { from: midnight, next }
    return next
  }
}

const patterns = new BoundedCache<LocalCron>(cronPatternsCached)

/** Of a pattern that was checked before. */
export function localCron(pattern: string): LocalCron {
  return patterns.get(pattern, () => new LocalCron(pattern))
}

function indexesOf(flags: readonly number[]): number[] {
  return flags.flatMap((flag, index) => (flag ? [index] : []))
}

function firstAbove(ascending: readonly number[], limit: number): number | undefined {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ascending[middle]! > limit) high = middle
    else low = middle + 1
  }
  return ascending[low]
}
