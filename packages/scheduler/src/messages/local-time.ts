/** `2026-02-20 16:00`, as the clocks of that zone show it. */
export function localTime(at: number, timeZone: string): string {
  return format(timeZone).format(at)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one takes longer than using it hundreds of times. */
function format(timeZone: string): Intl.DateTimeFormat {
  let known = formats.get(timeZone)
  if (known === undefined) {
    // Swedish writes dates as ISO 8601 does.
    known = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    formats.set(timeZone, known)
  }
  return known
}
