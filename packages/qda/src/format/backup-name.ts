import { localTime, timeOfLocal } from './local-time.js'

/** Folder beside a project that holds a copy of its databases; a project itself. */
export function backupName(project: string, time: number, timeZone?: string): string {
  const [date, clock] = localTime(time, timeZone).split(' ') as [string, string]
  return `${project}_CB_${date.replaceAll('-', '')}_${clock.replaceAll(':', '')}.qda`
}

/** When a backup of that project was made, UTC ms, by its name; null where this is no such name. */
export function backupTime(project: string, name: string, timeZone?: string): number | null {
  const start = `${project}_CB_`
  if (!name.startsWith(start)) return null
  const match = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)\.qda$/.exec(name.slice(start.length))
  if (match === null) return null
  const [, year, month, day, hour, minute, second] = match
  return timeOfLocal(`${year}-${month}-${day} ${hour}:${minute}:${second}`, timeZone)
}
