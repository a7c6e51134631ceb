import { setTimeout as delay } from 'node:timers/promises'
import { drainMsDefault, drainMsMax } from '@callboard/protocol'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { isNobodyThere } from '../hub-link/hub-socket.js'
import { type HubStatus, noHubRunning, readHubStatus } from '../hub-link/hub-status.js'
import { operate } from '../hub-link/operate.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import * as limits from '../limits.js'
import { print, printJson } from '../output.js'
import { CommandError, UsageError } from '../usage-error.js'
import { minute } from '../utc-minute.js'

export interface DrainOptions {
  readonly json?: boolean
  /** Seconds. */
  readonly timeout?: number
  /** One worker after the other, each when the one before has been replaced. */
  readonly rolling?: boolean
}

type Snapshot = HubStatus['snapshot']
type Worker = Snapshot['workers'][number]

/** What is asked to leave: one worker, or all of a service. */
interface Target {
  readonly command: { readonly instance: string } | { readonly service: string }
  readonly workers: readonly Worker[]
}

interface Drained {
  readonly workers: readonly Worker[]
  readonly left: readonly Worker[]
  /** Of the service whose name was given, when nobody of it was there. */
  readonly away: Snapshot['services'][number]['away']
}

export async function runDrain(name: string, { json, timeout, rolling }: DrainOptions): Promise<void> {
  const drainMs = timeout === undefined ? drainMsDefault : Math.ceil(timeout * 1000)
  if (drainMs > drainMsMax) throw new UsageError(`--timeout must be at most ${drainMsMax / 1000} seconds.`)
  const environment = readEnvironment()
  const { runtimeDirectory } = environment
  requireOwnDirectory(runtimeDirectory)
  const { mcpSocket } = runtimeFiles(runtimeDirectory)
  const status = await readHubStatus(mcpSocket)
  if (status === undefined) throw noHubRunning(runtimeDirectory)
  const target = findTarget(name, status.snapshot)
  const drain = async ({ command, workers }: Target): Promise<readonly Worker[]> => {
    await operate(environment, { command: 'drain', ...command, drainMs }).catch((error: unknown) => {
      if (isNobodyThere(error)) throw noHubRunning(runtimeDirectory)
      throw error
    })
    return untilGone(mcpSocket, workers, drainMs + limits.drainGraceMs)
  }
  const away = status.snapshot.services.find(({ service }) => service === name)?.away
  if (rolling === true) return rollOver(target.workers, { status, drain, mcpSocket, json: json === true })
  report(name, { workers: target.workers, left: await drain(target), away }, json === true)
}

interface Rolling {
  /** Before anybody was asked. */
  readonly status: HubStatus
  /** Resolves with those that did not leave. */
  readonly drain: (target: Target) => Promise<readonly Worker[]>
  readonly mcpSocket: string
  readonly json: boolean
}

/** @throws CommandError at the first that does not leave, or has no successor: then the others go on as they are. */
async function rollOver(workers: readonly Worker[], { status, drain, mcpSocket, json }: Rolling): Promise<void> {
  // One that has left meanwhile may have its successor already: whoever is new counts, for one of them.
  const known = new Set(status.snapshot.workers.map(({ instance }) => instance))
  const replaced: { readonly former: Worker; readonly successor: Worker }[] = []
  for (const [index, worker] of workers.entries()) {
    const rest = workers.length - index
    const left = await drain({ command: { instance: worker.instance }, workers: [worker] })
    if (left.length > 0) throw new CommandError(`${stillThere(left)}${unchanged(rest - 1)}`)
    const successor = await untilReplaced(mcpSocket, worker.service, known)
    if (successor === undefined) throw new CommandError(`${withoutSuccessor(worker)}${unchanged(rest - 1)}`)
    known.add(successor.instance)
    replaced.push({ former: worker, successor })
    if (!json) print(`Replaced ${describe(worker)} by ${escapeControls(successor.instance)}.`)
  }
  if (json)
    printJson({ replaced: replaced.map(({ former, successor }) => ({ ...identify(former), by: successor.instance })) })
  else if (workers.length === 0) print('No worker of it is signed in: there is nothing to restart.')
}

const withoutSuccessor = (worker: Worker): string =>
  `Nothing came in the place of ${describe(worker)} within ${limits.successorWaitMs / 1_000} s: start one, then go on.`
const unchanged = (count: number): string => (count === 0 ? '' : ` ${count} of its workers were not asked.`)

/** A worker of the service that was not there before and takes calls; undefined when none has come in time. */
async function untilReplaced(path: string, service: string, known: ReadonlySet<string>): Promise<Worker | undefined> {
  const endsAt = performance.now() + limits.successorWaitMs
  for (;;) {
    const status = await readHubStatus(path)
    const found = status?.snapshot.workers.find(
      (worker) => worker.service === service && worker.state === 'ready' && !known.has(worker.instance),
    )
    if (found !== undefined || performance.now() >= endsAt) return found
    await delay(limits.drainPollMs)
  }
}

/** @throws UsageError for a name that is neither a worker's nor a service's. */
function findTarget(name: string, { workers, services }: Snapshot): Target {
  const one = workers.filter(({ instance }) => instance === name)
  if (one.length > 0) return { command: { instance: name }, workers: one }
  const all = workers.filter(({ service }) => service === name)
  const known = [...services, ...workers].map(({ service }) => service)
  if (known.includes(name)) return { command: { service: name }, workers: all }
  const hint = didYouMean(name, [...known, ...workers.map(({ instance }) => instance)])
  throw new UsageError(
    escapeControls(`There is no service or worker instance ${name}${hint}: "callboard ls" lists them all.`),
  )
}

/** Those that are still there when the time is over. A worker that starts again has another instance. */
async function untilGone(path: string, workers: readonly Worker[], waitMs: number): Promise<readonly Worker[]> {
  const asked = new Set(workers.map(({ instance }) => instance))
  const endsAt = performance.now() + waitMs
  for (;;) {
    const status = await readHubStatus(path)
    const left = status?.snapshot.workers.filter(({ instance }) => asked.has(instance)) ?? []
    if (left.length === 0 || performance.now() >= endsAt) return left
    await delay(limits.drainPollMs)
  }
}

/** @throws CommandError when not all have left. */
function report(name: string, { workers, left, away }: Drained, json: boolean): void {
  const staying = new Set(left.map(({ instance }) => instance))
  const gone = workers.filter(({ instance }) => !staying.has(instance))
  if (json) printJson({ drained: gone.map(identify), left: left.map(identify) })
  else {
    if (workers.length === 0) print(nobodyThere(name, away))
    for (const worker of gone) print(`Drained ${describe(worker)}.`)
  }
  if (left.length === 0) return
  throw new CommandError(stillThere(left))
}

const stillThere = (left: readonly Worker[]): string =>
  `Asked to leave and still there: ${left.map(describe).join(', ')}; end what hangs.`

function nobodyThere(name: string, away: Drained['away']): string {
  const since = away === undefined ? '' : ` since ${minute(away.since)}`
  return `No worker of ${name} is signed in: it is away${since}; "callboard forget ${name}" frees its names.`
}

const identify = ({ service, instance }: Worker) => ({ service, instance })
const describe = ({ service, instance }: Worker): string => escapeControls(`${service} (instance ${instance})`)
