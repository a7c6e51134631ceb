import type { Variables } from '../environment.js'
import type { RunRequest } from './runner.js'

const passedOn = ['PATH', 'HOME', 'LANG', 'TZ']

export interface HubPlaces {
  /** Where the hub's socket lies, for `callboard stdio`. */
  readonly runtimeDirectory?: string
  /** Of the hub's HTTP, when it is on. */
  readonly hubUrl?: string
}

/** All that a run's program sees of the worker's environment: nothing that was not named, and its own token. */
export function childEnvironment(
  { group, token, runId, idempotencyKey }: RunRequest,
  variables: Variables,
  { runtimeDirectory, hubUrl }: HubPlaces,
): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {}
  for (const name of [...passedOn, ...group.envAllow]) {
    const value = variables[name]
    if (value !== undefined) environment[name] = value
  }
  return {
    ...environment,
    ...(runtimeDirectory !== undefined && { CALLBOARD_RUNTIME: runtimeDirectory }),
    ...(hubUrl !== undefined && { CALLBOARD_URL: hubUrl }),
    CALLBOARD_TOKEN: token,
    CALLBOARD_RUN_ID: runId,
    CALLBOARD_IDEMPOTENCY_KEY: idempotencyKey,
  }
}
