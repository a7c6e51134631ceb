import type { LogLevel } from '@callboard/protocol'

/** RFC 5424's, least first. */
const levels: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** A client that named no level wants no logs. */
export function wantsLog(least: LogLevel | undefined, level: LogLevel): boolean {
  return least !== undefined && levels.indexOf(level) >= levels.indexOf(least)
}
