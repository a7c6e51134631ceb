import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../environment.js'
import { type HubStatus, readHubStatus } from '../hub-link/hub-status.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import { cutOffWaitMs, keysPollMs } from '../limits.js'

type Worker = HubStatus['snapshot']['workers'][number]
export type LiveWorker = Pick<Worker, 'service' | 'instance'> & { readonly publicKey: string }

/** Workers that are in by a key, with that key; undefined when no hub runs. */
export async function liveWorkers({ runtimeDirectory }: Environment): Promise<readonly LiveWorker[] | undefined> {
  requireOwnDirectory(runtimeDirectory)
  const status = await readHubStatus(runtimeFiles(runtimeDirectory).mcpSocket)
  return status?.snapshot.workers.flatMap(({ service, instance, publicKey }) =>
    publicKey === undefined ? [] : [{ service, instance, publicKey }],
  )
}

/** Those that are still there when the hub has had time to cut them off. */
export async function untilCutOff(
  environment: Environment,
  workers: readonly LiveWorker[],
): Promise<readonly LiveWorker[]> {
  const instances = new Set(workers.map(({ instance }) => instance))
  const endsAt = performance.now() + cutOffWaitMs
  for (;;) {
    const left = ((await liveWorkers(environment)) ?? []).filter(({ instance }) => instances.has(instance))
    if (left.length === 0 || performance.now() >= endsAt) return left
    await delay(keysPollMs)
  }
}
