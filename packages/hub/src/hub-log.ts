import { type Logger, pino } from 'pino'

/** JSON lines on stderr: stdout belongs to the protocol of a stdio program. */
export function createHubLog(level: string, stream: NodeJS.WritableStream): Logger {
  return pino(
    {
      level,
      base: { program: 'hub' },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', '*.token', '*.*.token', 'secret', '*.secret', 'authorization', '*.authorization'],
    },
    stream,
  )
}

export type { Logger }
