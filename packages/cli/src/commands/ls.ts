import type { SupervisedStatus } from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { type HubStatus, noHubRunning, readHubStatus } from '../hub-link/hub-status.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import * as limits from '../limits.js'
import { print, printJson } from '../output.js'
import { tableOf } from '../table.js'
import { minute } from '../utc-minute.js'

export async function runList({ json }: { readonly json?: boolean }): Promise<void> {
  const { runtimeDirectory } = readEnvironment()
  requireOwnDirectory(runtimeDirectory)
  const status = await readHubStatus(runtimeFiles(runtimeDirectory).mcpSocket)
  if (json) printJson(status ?? { hub: null })
  else if (status !== undefined) print(describe(status, Date.now()))
  if (status === undefined) throw noHubRunning(runtimeDirectory)
}

/** Every line is escaped whole: what is in it was given by hub and workers, and may not make lines of its own. */
export function describe({ hub, snapshot }: HubStatus, now: number): string {
  const http = hub.http.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(', ')
  const workers = snapshot.workers.map((worker) => [
    worker.service,
    worker.state,
    worker.version,
    `${worker.inFlight}/${worker.concurrency}`,
    `${worker.trusted ? 'trusted' : 'untrusted'}${worker.key === undefined ? '' : `, key ${worker.key}`}`,
    age(now - worker.joinedAt),
    worker.instance,
  ])
  const supervised = (hub.supervised ?? []).map((worker) => [
    worker.worker,
    describeSupervised(worker, now),
    String(worker.pid ?? '-'),
    String(worker.restarts),
    describeLastExit(worker, now),
  ])
  const services = snapshot.services.map(
    ({ service, isServed, away, tools, renamed = {}, ownTools = {}, held = 0 }) => [
      service,
      isServed ? 'served' : describeAway(away),
      [
        ...tools.map((name) => (Object.hasOwn(renamed, name) ? `${name} (${renamed[name]})` : name)),
        ...Object.entries(ownTools).map(([name, sessions]) => `${name} (in ${counted(sessions, 'session')})`),
        ...(held > 0 ? [`${counted(held, 'definition')} held back`] : []),
      ].join(', ') || '-',
    ],
  )
  const refused = snapshot.workers.flatMap(({ service, version, refused: definitions = [] }) =>
    definitions.map(({ name, message }) => [name, service, version, message]),
  )
  const calls = snapshot.calls
    .slice(0, limits.callsListedMax)
    .map(({ name, service, state, principal, startedAt }) => [name, service, state, principal, age(now - startedAt)])
  return [
    `hub ${hub.version}, process ${hub.pid}, up ${age(now - hub.startedAt)}, in ${hub.runtime}`,
    `http ${http || hub.httpProblem || 'off'}`,
    ...(hub.keyed === undefined ? [] : [`by key ${hub.keyed.listen.join(', ')}`]),
    ...(hub.issuer === undefined ? [] : [`oauth tokens of ${hub.issuer}`]),
    describeLoad(hub, snapshot),
    ...section('WORKER   STATE VERSION CALLS TRUST AGE INSTANCE', workers, 'no workers'),
    ...section('SUPERVISED STATE PROCESS RESTARTS LAST-END', supervised),
    ...section('SERVICE STATE TOOLS', services, 'no services'),
    ...section('REFUSED SERVICE VERSION WHY', withoutRepetitions(refused)),
    ...section('CALL SERVICE STATE CALLER AGE', calls),
    ...moreCalls(snapshot.calls.length - calls.length),
  ]
    .map((line) => escapeControls(line))
    .join('\n')
}

/** A client without a session is connected while a request of it is open; what the hub keeps for it meanwhile is no connection. */
function describeLoad({ keptConnections = 0 }: HubStatus['hub'], snapshot: HubStatus['snapshot']): string {
  const { sessions, connections, calls, queued } = snapshot
  const kept = keptConnections === 0 ? '' : ` (and ${keptConnections} kept for stateless clients)`
  const connected = counted(connections - keptConnections, 'connection')
  return `${counted(sessions, 'session')}, ${connected}${kept}, ${counted(calls.length, 'call')}, ${queued} queued`
}

function describeAway(away: HubStatus['snapshot']['services'][number]['away']): string {
  return away === undefined ? 'away' : `away since ${minute(away.since)}, kept until ${minute(away.keptUntil)}`
}

/** `crash-looping since 2026-11-20T17:00Z, again in 12 s` */
function describeSupervised({ state, restartsAt, crashLoopingSince }: SupervisedStatus, now: number): string {
  const again = restartsAt === undefined ? '' : ` in ${age(restartsAt - now)}`
  if (state === 'restarting') return `restarting${again}`
  if (crashLoopingSince === undefined) return state
  return `crash-looping since ${minute(crashLoopingSince)}, ${again === '' ? 'tried now' : `again${again}`}`
}

function describeLastExit({ lastExit }: SupervisedStatus, now: number): string {
  if (lastExit === undefined) return '-'
  const { how, at, complaint } = lastExit
  return `${how}, ${age(now - at)} ago${complaint === undefined ? '' : `: ${complaint}`}`
}

/** Replicas are refused the same. */
function withoutRepetitions(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
}

const moreCalls = (count: number): string[] =>
  count > 0 ? [`and ${count} more: "callboard ls --json" has them all`] : []

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function section(title: string, rows: readonly (readonly string[])[], empty?: string): string[] {
  if (rows.length === 0) return empty === undefined ? [] : ['', empty]
  return ['', ...tableOf(title, rows)]
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
