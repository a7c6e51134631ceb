/**
 * The rules of cron and of clock changes once more, written down from scratch and as slowly as one likes: it looks at every minute.
 * It shares nothing with what it judges, neither code nor library.
 */

const minuteMs = 60_000
const quarterMs = 15 * minuteMs
const minutesPerDay = 24 * 60

/** Every fire in [from, to), both whole minutes. */
export function slowOccurrences(pattern: string, timeZone: string, from: number, to: number): number[] {
  const [minuteField, hourField, ...dayFields] = pattern.split(' ') as [string, string, string, string, string]
  const minutes = numbersOf(minuteField, 0, 59)
  const hours = numbersOf(hourField, 0, 23)
  const isDay = dayMatcher(dayFields as [string, string, string])
  const matches = (localMinute: number) => {
    const day = Math.floor(localMinute / minutesPerDay)
    const ofDay = localMinute - day * minutesPerDay
    return minutes.has(ofDay % 60) && hours.has(Math.floor(ofDay / 60)) && isDay(day)
  }
  const isFixed = /^\d+$/.test(minuteField) && /^\d+$/.test(hourField)
  const fires: number[] = []
  // A time that the clock shows again within a day was reached before: so begin to look a day and more earlier.
  const start = from - 2 * minutesPerDay * minuteMs
  let reached = (start - minuteMs + slowOffset(start - minuteMs, timeZone)) / minuteMs
  let offset = slowOffset(start, timeZone)
  for (let instant = start; instant < to; instant += minuteMs) {
    if (instant % quarterMs === 0) offset = slowOffset(instant, timeZone)
    const local = (instant + offset) / minuteMs
    if (isFixed) {
      // Each local minute has its turn once: when the clock first shows it, or first shows a later one.
      let isHit = false
      while (reached < local) {
        reached += 1
        if (matches(reached)) isHit = true
      }
      if (isHit && instant >= from) fires.push(instant)
    } else if (instant >= from && matches(local)) {
      fires.push(instant)
    }
  }
  return fires
}

/** The instants in [from, to) at which the zone's offset is another than a minute before. */
export function slowChanges(timeZone: string, from: number, to: number): number[] {
  const changes: number[] = []
  for (let instant = from; instant < to; instant += quarterMs) {
    if (slowOffset(instant, timeZone) !== slowOffset(instant - minuteMs, timeZone)) changes.push(instant)
  }
  return changes
}

const offsets = new Map<string, Map<number, number>>()
const formats = new Map<string, Intl.DateTimeFormat>()

/** Clocks are set at quarters of an hour, so each has one offset. */
function slowOffset(instant: number, timeZone: string): number {
  let known = offsets.get(timeZone)
  if (known === undefined) {
    known = new Map()
    offsets.set(timeZone, known)
  }
  const quarter = Math.floor(instant / quarterMs)
  let offset = known.get(quarter)
  if (offset === undefined) {
    offset = Date.parse(`${shownBy(timeZone, quarter * quarterMs)}Z`) - quarter * quarterMs
    known.set(quarter, offset)
  }
  return offset
}

function shownBy(timeZone: string, instant: number): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    // Sweden writes 2026-03-08 03:00:00.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    formats.set(timeZone, format)
  }
  return format.format(instant).replace(' ', 'T')
}

/** Of days counted from 1970-01-01. */
function dayMatcher([dayField, monthField, weekdayField]: readonly [string, string, string]): (day: number) => boolean {
  const months = numbersOf(named(monthField, monthNames), 1, 12)
  const weekdayText = named(weekdayField, weekdayNames)
  const known = new Map<number, boolean>()
  const decide = (day: number) => {
    const date = new Date(day * minutesPerDay * minuteMs)
    if (!months.has(date.getUTCMonth() + 1)) return false
    const isDate = dayField.split(',').some((part) => isDayOfMonth(part, date))
    const isWeekday = weekdayText.split(',').some((part) => isDayOfWeek(part, date))
    return dayField !== '*' && weekdayField !== '*' ? isDate || isWeekday : isDate && isWeekday
  }
  return (day) => {
    let answer = known.get(day)
    if (answer === undefined) {
      answer = decide(day)
      known.set(day, answer)
    }
    return answer
  }
}

function isDayOfMonth(part: string, date: Date): boolean {
  const last = lastDayOf(date)
  const today = date.getUTCDate()
  if (part === 'L') return today === last
  if (part === 'LW') {
    let day = last
    while (!isWorkday(date, day)) day -= 1
    return today === day
  }
  if (part.endsWith('W')) {
    const wanted = Number(part.slice(0, -1))
    return wanted <= last && today === nearestWorkday(date, wanted, last)
  }
  return numbersOf(part, 1, 31).has(today)
}

/** A day before, a day after, and then away from the month's edge. */
function nearestWorkday(date: Date, wanted: number, last: number): number {
  const tried = [wanted, wanted - 1, wanted + 1, wanted - 2, wanted + 2]
  // Saturday's neighbour is the day before, Sunday's the day after; neither may leave the month.
  return tried.find((day) => day >= 1 && day <= last && isWorkday(date, day))!
}

function isWorkday(date: Date, dayOfMonth: number): boolean {
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), dayOfMonth)).getUTCDay()
  return weekday >= 1 && weekday <= 5
}

function isDayOfWeek(part: string, date: Date): boolean {
  const today = date.getUTCDate()
  const week = Math.ceil(today / 7)
  if (part.includes('#')) {
    const [days, nth] = part.split('#') as [string, string]
    return isDayOfWeek(days, date) && week === Number(nth)
  }
  if (part.endsWith('L')) return isDayOfWeek(part.slice(0, -1), date) && today + 7 > lastDayOf(date)
  const days = numbersOf(part, 0, 7)
  const weekday = date.getUTCDay()
  // A step over * counts weekdays from Sunday, once.
  return days.has(weekday) || (weekday === 0 && days.has(7) && !part.startsWith('*/'))
}

function lastDayOf(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
}

function numbersOf(field: string, min: number, max: number): Set<number> {
  const numbers = new Set<number>()
  for (const part of field.split(',')) {
    const [range, step = '1'] = part.split('/') as [string, string?]
    const [first, last = first] = (range === '*' ? `${min}-${max}` : range).split('-') as [string, string?]
    for (let number = Number(first); number <= Number(last); number += Number(step)) numbers.add(number)
  }
  return numbers
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

function named(field: string, names: readonly string[]): string {
  const first = names.length === 12 ? 1 : 0
  return names.reduce((text, name, index) => text.replaceAll(name, String(index + first)), field.toUpperCase())
}
