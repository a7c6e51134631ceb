import { destination, pino } from 'pino'

/** One line on join, leave and failure; never a secret, never the text of a post. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** JSON on stderr: stdout may be somebody's protocol. */
export function stderrLog(level: string): Log {
  return pino({ name: 'social', level }, destination({ dest: 2, sync: true }))
}
