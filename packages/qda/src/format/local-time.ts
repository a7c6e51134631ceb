/** Dates in a QualCoder project are texts of the local clock, "YYYY-MM-DD HH:MM:SS", without a zone. */

const pattern = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?$/

/** Of UTC ms; the zone is the machine's unless another is named. */
export function localTime(time: number, timeZone?: string): string {
  const { year, month, day, hour, minute, second } = fieldsAt(time, timeZone)
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

/** UTC ms of such a text, null where it is none. An hour that the clock showed twice is the first of both. */
export function timeOfLocal(text: string, timeZone?: string): number | null {
  const match = pattern.exec(text)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  if (year < 100 || new Date(wall).toISOString().slice(0, 19) !== `${text.slice(0, 10)}T${text.slice(11, 19)}`)
    return null
  return timeOfWall(wall, timeZone)
}

// The offset of a day earlier and of a day later: a change of the clock lies between them, if there is one.
function timeOfWall(wall: number, timeZone: string | undefined): number {
  const dayMs = 86_400_000
  const candidates = [wall - dayMs, wall + dayMs]
    .map((near) => wall - (wallAt(near, timeZone) - near))
    .sort((a, b) => a - b)
  return candidates.find((time) => wallAt(time, timeZone) === wall) ?? candidates[1]!
}

function wallAt(time: number, timeZone: string | undefined): number {
  const { year, month, day, hour, minute, second } = fieldsAt(time, timeZone)
  return Date.UTC(+year, +month - 1, +day, +hour, +minute, +second)
}

type Field = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

function fieldsAt(time: number, timeZone: string | undefined): Record<Field, string> {
  const parts = formatterOf(timeZone).formatToParts(time)
  const fields = Object.fromEntries(parts.map(({ type, value }) => [type, value])) as Record<Field, string>
  return { ...fields, year: fields.year.padStart(4, '0') }
}

const formatters = new Map<string | undefined, Intl.DateTimeFormat>()

function formatterOf(timeZone: string | undefined): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      ...(timeZone === undefined ? {} : { timeZone }),
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formatters.set(timeZone, formatter)
  }
  return formatter
}
