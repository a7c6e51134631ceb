import { createServer } from 'node:net'
import type { HubConfig, SupervisedStatus } from '@callboard/hub'
import type { HubStatus } from '../hub-link/hub-status.js'
import * as limits from '../limits.js'
import { minute } from '../utc-minute.js'
import { version } from '../version.js'
import { type Finding, note, ok, problem } from './finding.js'
import { portOwner } from './port-owner.js'

export function checkHub(status: HubStatus | undefined): Finding {
  if (status === undefined)
    return note('hub', 'none is running', 'run "callboard up"; "callboard stdio" starts one by itself')
  const { pid, version: running } = status.hub
  if (running === version) return ok('hub', `${running}, process ${pid}`)
  return problem(
    'hub',
    `process ${pid} is version ${running}, this is ${version}`,
    'run "callboard down", then start it anew',
  )
}

export async function checkHttp(config: HubConfig, status: HubStatus | undefined): Promise<Finding> {
  if (config.http === 'off') return ok('http', 'off')
  const wanted = config.http.addresses
  if (status !== undefined && status.hub.http.length > 0) {
    return ok('http', status.hub.http.map(({ host, port }) => `${host}:${port}`).join(', '))
  }
  const free = await Promise.all(wanted.map(isFree))
  const taken = wanted.find((_, index) => !free[index])
  if (taken === undefined) {
    const where = wanted.map(({ host, port }) => `${host}:${port}`).join(', ')
    if (status === undefined) return ok('http', `${where} free`)
    return problem('http', status.hub.httpProblem ?? `the hub does not listen at ${where}`, 'start the hub anew')
  }
  const owner = portOwner(taken.port) ?? 'another program'
  const remedy = `end it, or set CALLBOARD_HTTP to another host:port or to off${status === undefined ? '' : ', and start the hub anew'}`
  return problem('http', `port ${taken.port} on ${taken.host} is taken by ${owner}`, remedy)
}

export function checkWorkers(wanted: readonly string[], status: HubStatus | undefined): Finding[] {
  if (status === undefined) return []
  const { workers } = status.snapshot
  const { supervised = [] } = status.hub
  const unwell = supervised.filter(isUnwell)
  // `up` was told which it brings along, perhaps otherwise than we are.
  const missing = (supervised.length === 0 ? wanted : supervised.map(({ worker }) => worker))
    .filter((name) => !workers.some(({ service }) => service === name))
    .filter((name) => !unwell.some(({ worker }) => worker === name))
  const sick = workers.filter(({ state }) => state === 'suspect')
  const failing = workers.filter(({ state }) => state === 'ejected')
  const well = workers.filter(({ state }) => state !== 'suspect' && state !== 'ejected')
  return [
    ...unwell.map(keepsEnding),
    ...missing.map((name) => problem(`worker ${name}`, 'not signed in', remedyForMissing(name))),
    ...sick.map(({ service, instance }) =>
      problem(`worker ${service}`, `${instance} has missed its heartbeats`, 'end that process if it hangs'),
    ),
    ...failing.map(({ service, instance }) =>
      problem(
        `worker ${service}`,
        `${instance} gets no calls for a while: it fails where others do not`,
        'its own log says why; restart it if that helps',
      ),
    ),
    ...well.map((worker) => ok(`worker ${worker.service}`, worker.state)),
    ...refusedDefinitions(workers),
  ]
}

const remedyForMissing = (name: string): string =>
  `see what it says: callboard worker ${name}; if it is not meant to run, leave it out of "workers" (CALLBOARD_WORKERS)`

const isUnwell = ({ state, endsInARow }: SupervisedStatus): boolean =>
  state === 'crash_looping' || endsInARow >= limits.endsInARowMax

function keepsEnding({ worker, state, endsInARow, crashLoopingSince, lastExit }: SupervisedStatus): Finding {
  const since = crashLoopingSince === undefined ? '' : ` since ${minute(crashLoopingSince)}`
  const what = state === 'crash_looping' ? `is crash-looping${since}` : `ended ${endsInARow} times in a row`
  const how = lastExit === undefined ? '' : ` (${lastExit.how})`
  const last = lastExit?.complaint === undefined ? '' : `; last it said: ${lastExit.complaint}`
  return problem(
    `worker ${worker}`,
    `${what}${how}${last}`,
    `mend what it says, it is tried again by itself; all that it says: callboard worker ${worker}`,
  )
}

/** Once for all replicas. Older hubs do not tell which definitions they refused, or not by which code. */
function refusedDefinitions(workers: HubStatus['snapshot']['workers']): Finding[] {
  const findings = workers.flatMap(({ service, version: offered, refused = [] }) => [
    ...heldBack(service, refused),
    ...refused.flatMap(({ name, code, message }) => {
      const check = `worker ${service}`
      if (code === 'quarantined')
        return note(check, `${name} of version ${offered} gets no calls: ${message}`, remedyForEdition)
      if (code === 'held_back') return []
      return problem(
        check,
        `${name} was refused: ${message}`,
        remedies[code ?? ''] ?? 'rename it, or use --namespace always',
      )
    }),
  ])
  return [...new Map(findings.map((finding) => [finding.check + finding.detail, finding])).values()]
}

/** Together: with pinning just switched on it is all that a worker has. */
function heldBack(service: string, refused: readonly { readonly name: string; readonly code?: string }[]): Finding[] {
  const names = refused.flatMap(({ name, code }) => (code === 'held_back' ? [name] : []))
  if (names.length === 0) return []
  const [first, last] = [names.slice(0, limits.namesToldMax).join(', '), names.length - limits.namesToldMax]
  const detail = `held back until an operator accepts: ${first}${last > 0 ? ` and ${last} more` : ''}`
  return [note(`worker ${service}`, detail, `run "callboard tools diff ${service}"`)]
}

const remedies: Readonly<Record<string, string>> = {
  invalid: 'correct its definition',
  not_authorized: 'run "callboard keys authorize" with other --tools or --resources, or let the worker drop it',
}

const remedyForEdition =
  'a newer version is in force 30 s after it came, any other when the workers of this one are gone'

function isFree({ host, port }: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
