import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Variables = Readonly<Record<string, string | undefined>>

/** What the worker takes from its surroundings. */
export interface SchedulerEnvironment {
  /** Everything: commands get a few of them by name, chat endpoints their keys. */
  readonly variables: Variables
  /** Where the hub's sockets lie. */
  readonly runtimeDirectory: string
  /** Of the hub's HTTP, without a path; absent when it is off or was left to the hub. */
  readonly hubUrl?: string
  readonly logLevel: string
  /** As the system has it; not necessarily an IANA name. */
  readonly timeZone?: string
}

/** The one place of this package that reads `process.env`. */
export function readEnvironment(variables: Variables = process.env): SchedulerEnvironment {
  const get = (name: string) => variables[name] || undefined
  const hubUrl = get('CALLBOARD_URL') ?? urlOf(get('CALLBOARD_HTTP'))
  const timeZone = get('TZ')
  return {
    variables,
    runtimeDirectory: get('CALLBOARD_RUNTIME') ?? usualRuntimeDirectory(get('XDG_RUNTIME_DIR')),
    logLevel: get('CALLBOARD_LOG_LEVEL') ?? 'info',
    ...(hubUrl !== undefined && { hubUrl }),
    ...(timeZone !== undefined && { timeZone }),
  }
}

/** As the hub finds it; a run's program could not, as it does not see the session's directory. */
function usualRuntimeDirectory(session: string | undefined): string {
  return session === undefined ? join(tmpdir(), `callboard-${process.getuid?.() ?? 0}`) : join(session, 'callboard')
}

/**
 * Of `host:port` alone. Without it the hub listens where it may, if that port is free: some other program could be there, and
 * would be sent a run's token.
 */
function urlOf(listen: string | undefined): string | undefined {
  const address = listen?.split(',')[0]?.trim()
  if (address === undefined || !/:[1-9]\d*$/.test(address)) return undefined
  return URL.canParse(`http://${address}`) ? `http://${address}` : undefined
}
