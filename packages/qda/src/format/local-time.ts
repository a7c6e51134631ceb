/** "YYYY-MM-DD HH:MM:SS" of UTC ms, as the original writes dates: by the clock on the wall. */
export function localTime(time: number, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    ...(timeZone !== undefined && { timeZone }),
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return parts.format(time)
}
