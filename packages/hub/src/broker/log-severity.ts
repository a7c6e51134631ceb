import type { LogLevel } from '@callboard/protocol'

const severity: Readonly<Record<LogLevel, number>> = {
  debug: 0,
  info: 1,
  notice: 2,
  warning: 3,
  error: 4,
  critical: 5,
  alert: 6,
  emergency: 7,
}

export function isWanted(level: LogLevel, least: LogLevel | undefined): boolean {
  return least !== undefined && severity[level] >= severity[least]
}
