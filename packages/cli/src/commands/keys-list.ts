import { type AuthorizedWorker, isOver, readAllowList, workersOf } from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { allowListFile, explaining } from '../keys/allow-list-place.js'
import { list } from '../keys/describe-rights.js'
import { type LiveWorker, liveWorkers } from '../keys/live-workers.js'
import { print, printJson } from '../output.js'
import { tableOf } from '../table.js'

export async function runKeysList({ json }: { readonly json?: boolean }): Promise<void> {
  const environment = readEnvironment()
  const workers = workersOf(await explaining(readAllowList(allowListFile(environment))))
  const live = await liveWorkers(environment)
  const now = Date.now()
  if (json) return printJson(workers.map((worker) => described(worker, live, now)))
  if (workers.length === 0) return print(`No key is authorized: run "callboard keys authorize NAME 'KEY'".`)
  const rows = workers.map((worker) => rowOf(worker, live, now))
  print(tableOf('NAME KEY SERVICES TOOLS RESOURCES EXPIRES TRUSTED WORKERS', rows).join('\n'))
}

const by = ({ key }: AuthorizedWorker, live: readonly LiveWorker[]) => live.filter(({ publicKey }) => publicKey === key)

function described(worker: AuthorizedWorker, live: readonly LiveWorker[] | undefined, now: number) {
  const workers = live && by(worker, live).map(({ service, instance }) => ({ service, instance }))
  return { ...worker, isOver: isOver(worker, now), ...(workers !== undefined && { workers }) }
}

function rowOf(worker: AuthorizedWorker, live: readonly LiveWorker[] | undefined, now: number): string[] {
  const { name, key, services, tools, resources, expiresAt, trusted } = worker
  const end = expiresAt === undefined ? 'never' : new Date(expiresAt).toISOString()
  return [
    name,
    key,
    list(services),
    list(tools),
    list(resources),
    isOver(worker, now) ? `${end} (over)` : end,
    trusted ? 'yes' : 'no',
    live === undefined ? '-' : String(by(worker, live).length),
  ]
}
