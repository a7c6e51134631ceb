import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { HubConfig, RunningHub } from '@callboard/hub'
import { binary } from '../binary.js'
import { childVariables, type Environment, readEnvironment } from '../environment.js'
import * as limits from '../limits.js'
import { loadWholeConfig } from '../load-config.js'
import { complain, exit, isTerminal, print } from '../output.js'
import { requirePrograms } from '../required-programs.js'
import { AlreadyRunning, askedToEnd, startHubHere } from '../start-hub.js'
import { describeExit, describeHub, describeReady, describeRefusals, urlsOf } from '../up/announcements.js'
import type { WorkerExit } from '../up/supervised-worker.js'
import { Supervisor } from '../up/supervisor.js'
import { UsageError } from '../usage-error.js'

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
  const hub = await startHubUnlessOnDemand(onDemand, {
    config: { ...config, ...(onDemand && { http: optional(config.http) }) },
    expects: workers,
    endWhenIdle: onDemand,
  })
  print(describeHub(hub, config, workers))
  const failed = await supervise(hub, workers, withLogLevel(environment, config), asked)
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
async function supervise(
  hub: RunningHub,
  workers: readonly string[],
  environment: Environment,
  asked: Promise<void>,
): Promise<UsageError | undefined> {
  let isStarting = true
  let isEnding = false
  let misconfigured: (error: UsageError) => void = () => {}
  const failure = new Promise<UsageError>((resolve) => {
    misconfigured = resolve
  })
  const supervisor = new Supervisor({
    workers,
    spawn: (name) => spawnWorker(name, hub, environment),
    writeLine: complain,
    exited: (exit: WorkerExit) => {
      complain(describeExit(exit))
      // Wrong from the start: better no hub than half of one.
      if (isStarting && exit.code === 2) misconfigured(new UsageError(exit.complaint ?? `${exit.worker} can't start.`))
    },
  })
  supervisor.start()
  const ended = Promise.race([hub.ended.then(() => undefined), asked, failure])
  void ended.then(() => {
    isEnding = true
  })
  void announceReady(hub, workers, () => isEnding).finally(() => {
    isStarting = false
  })
  const reason = await ended
  await supervisor.stop()
  await hub.stop()
  return reason ?? undefined
}

function spawnWorker(name: string, hub: RunningHub, environment: Environment) {
  const [url] = urlsOf(hub)
  return spawn(process.execPath, [binary, 'worker', name], {
    // A process group of its own: Ctrl-C in the terminal is for us, who tell the worker in an orderly way.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: childVariables(environment, {
      CALLBOARD_HUB: hub.workerEndpoint,
      CALLBOARD_SIGN_IN_SECRET_FILE: hub.signInSecretFile,
      CALLBOARD_PARENT: 'stdin',
      // Another hub's is none of ours.
      CALLBOARD_URL: url,
    }),
  })
}

async function announceReady(hub: RunningHub, workers: readonly string[], isEnding: () => boolean): Promise<void> {
  const missing = new Set(workers)
  const endsAt = performance.now() + limits.workersReadyWaitMs
  while (missing.size > 0 && performance.now() < endsAt && !isEnding()) {
    for (const worker of hub.snapshot().workers) {
      if (!missing.delete(worker.service)) continue
      print(describeReady(hub.snapshot(), worker.service))
      for (const line of describeRefusals(hub.snapshot(), worker.service)) complain(line)
    }
    await delay(limits.readyPollMs)
  }
  if (missing.size > 0 && !isEnding()) complain(`callboard: still not signed in: ${[...missing].join(', ')}`)
}
