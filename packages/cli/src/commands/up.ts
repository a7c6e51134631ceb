import type { HubConfig, RunningHub } from '@callboard/hub'
import { type Environment, readEnvironment } from '../environment.js'
import { loadWholeConfig } from '../load-config.js'
import { complain, exit, isTerminal, print } from '../output.js'
import { requirePrograms } from '../required-programs.js'
import { AlreadyRunning, askedToEnd, startHubHere } from '../start-hub.js'
import { describeHub } from '../up/announcements.js'
import { Supervision } from '../up/supervision.js'
import type { UsageError } from '../usage-error.js'

export interface UpOptions {
  readonly workers?: string
  readonly http?: string
  readonly namespace?: 'never' | 'always'
  /** Started by a program that needs a hub: ends when idle, and leaves the field to a hub that was quicker. */
  readonly onDemand?: boolean
}

export async function runUp({ workers: list, http, namespace, onDemand = false }: UpOptions): Promise<never> {
  const environment = readEnvironment({ CALLBOARD_WORKERS: list, CALLBOARD_HTTP: http })
  // People in front of a terminal want to read what is up; a log file wants to know what happened.
  const { file, workers, ...read } = await loadWholeConfig(environment, isTerminal() ? 'warn' : 'info')
  const config = namespace === undefined ? read.config : { ...read.config, namespace }
  requirePrograms(workers, file, environment.variables['PATH'] ?? '')
  const asked = askedToEnd()
  const supervision = new Supervision(workers, withLogLevel(environment, config))
  const hub = await startHubUnlessOnDemand(onDemand, {
    config: { ...config, ...(onDemand && { http: optional(config.http) }) },
    expects: workers,
    isAwaited: onDemand,
    endWhenIdle: onDemand,
    signedIn: (service) => supervision.signedIn(service),
    supervised: () => supervision.statuses,
  })
  print(describeHub(hub, config, workers))
  const failed = await untilEnd(hub, supervision, asked)
  if (failed !== undefined) throw failed
  return exit(0)
}

/** The workers log as the hub does. */
function withLogLevel(environment: Environment, { logLevel }: HubConfig): Environment {
  return { ...environment, variables: { ...environment.variables, CALLBOARD_LOG_LEVEL: logLevel } }
}

/** Several programs may start a hub at one moment; whoever comes second has what it wanted. */
async function startHubUnlessOnDemand(
  onDemand: boolean,
  options: Parameters<typeof startHubHere>[0],
): Promise<RunningHub> {
  try {
    return await startHubHere(options)
  } catch (error) {
    if (!onDemand || !(error instanceof AlreadyRunning)) throw error
    complain(error.message)
    return exit(0)
  }
}

/** A hub that somebody needs for something else does not fail for a port. */
function optional(http: HubConfig['http']): HubConfig['http'] {
  return http === 'off' ? http : { ...http, required: false }
}

/** Runs until asked to end; then nothing is left. Returns why it could not go on, if so. */
async function untilEnd(
  hub: RunningHub,
  supervision: Supervision,
  asked: Promise<void>,
): Promise<UsageError | undefined> {
  supervision.start(hub)
  const ended = Promise.race([hub.ended.then(() => undefined), asked, supervision.failed])
  void ended.then(() => supervision.endsSoon())
  const reason = await ended
  await supervision.stop()
  await hub.stop()
  return reason ?? undefined
}
