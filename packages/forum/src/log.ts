import { destination, pino } from 'pino'
import type { ForumConfig, LogLevel } from './config/forum-config.js'
import { maskedConfig } from './config/masked-config.js'
import { loggedDepthMax } from './limits.js'
import type { Redactor } from './secrets/redactor.js'

/** One line for what an operator must know; never a secret, never the text of a post. */
export interface Log {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  /** Shown wherever `info` is. */
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Where lines go, each with its end. */
export interface LogLines {
  write(line: string): void
}

/** JSON on stderr, as stdout may be somebody's protocol; secrets are taken out of all that is told, also of errors and their stacks. */
export function forumLog(level: LogLevel, redactor: Redactor, lines: LogLines = stderrLines()): Log {
  // What comes here is in its final form; pino's own would look for errors in it.
  const logger = pino({ name: 'forum', level, serializers: { err: (value: unknown) => value } }, lines)
  const at = (own: 'debug' | 'info' | 'warn' | 'error') => (details: object, message: string) => {
    if (!logger.isLevelEnabled(own)) return
    logger[own](redactor.value(plain(details, 0)) as object, redactor.text(message))
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** What is in force, and what the operator should think about. */
export function logStart(log: Log, config: ForumConfig): void {
  log.info({ config: maskedConfig(config) }, 'config')
  for (const warning of config.warnings) log.warn({}, warning)
}

const stderrLines = (): LogLines => destination({ dest: 2, sync: true })

/** As JSON can have it: all text that a line would show is text here already, so that secrets in it are found. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value)
  if (typeof value !== 'object' || value === null) return value
  // Also where an object is in itself.
  if (depth > loggedDepthMax) return '[deeper]'
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1))
  if (value instanceof Error) return plainError(value, depth)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (hasJsonForm(value)) return plain(value.toJSON(), depth + 1)
  if (value instanceof Map || value instanceof Set) return plain([...value], depth + 1)
  return plainEntries(value, depth)
}

function plainError(error: Error, depth: number): object {
  const { name, message, stack, cause } = error
  const { errors } = error as { readonly errors?: unknown }
  return {
    type: name,
    message,
    stack,
    ...(cause !== undefined && { cause: plain(cause, depth + 1) }),
    ...(errors !== undefined && { errors: plain(errors, depth + 1) }),
    ...plainEntries(error, depth),
  }
}

function plainEntries(object: object, depth: number): object {
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, plain(item, depth + 1)]))
}

function hasJsonForm(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function'
}
