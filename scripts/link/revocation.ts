import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readHub } from '../chaos/hub-control.js'
import { type Check, holds, within } from '../chaos/scenario.js'
import { type HubProcess, now } from '../hub-process.js'
import type { WorkerKey } from './worker-key.js'

const goneMsMax = 1_000
const lookEveryMs = 10
/** Twice as long as a worker needs to try with a new socket. */
const watchedMs = 7_000

/** A key that is revoked cuts its worker off, which tries to come back and must not. */
export async function revocationChecks(hub: HubProcess, key: WorkerKey, worker: ChildProcess): Promise<Check[]> {
  const workers = async () => (await readHub(hub.socket)).snapshot.workers.length
  const wasThere = (await workers()) === 1
  const [goneAt] = await Promise.all([gone(workers), key.revoke()])
  // The list is written once, by the command.
  const goneMs = goneAt - statSync(join(hub.directory, 'data', 'authorized-workers')).mtimeMs
  let returns = 0
  for (const until = now() + watchedMs; now() < until; await delay(lookEveryMs)) returns += await workers()
  return [
    holds('a revoked key: its worker was there until then', wasThere),
    within('a revoked key: its worker is gone', goneMs, goneMsMax),
    holds('a revoked key: its worker does not come back', returns === 0),
    holds('a revoked key: the hub goes on', await hubGoesOn(hub)),
    holds('a revoked key: the process was there to try', worker.exitCode === null),
  ]
}

/** When the last worker was gone, or is given up. */
async function gone(workers: () => Promise<number>): Promise<number> {
  const until = now() + 10 * goneMsMax
  while ((await workers()) > 0 && now() < until) await delay(lookEveryMs)
  return now()
}

async function hubGoesOn(hub: HubProcess): Promise<boolean> {
  return (await readHub(hub.socket)).hub.pid > 0
}
