import { destination, pino } from 'pino'

/** One line for what an operator must know; never the text of a source. */
export interface Log {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** JSON on stderr: stdout may be somebody's protocol. */
export function stderrLog(level: string): Log {
  return pino({ name: 'qda', level }, destination({ dest: 2, sync: true }))
}
