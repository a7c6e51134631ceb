import { join } from 'node:path'
import { AuthorizedWorkers } from './authorized-workers.js'
import { loadHubKey } from './hub-key.js'
import { WorkerKeys } from './worker-keys.js'

/** The keys of a hub that listens for other machines; undefined for any other. @throws StartError when there is no pair of its own. */
export async function openKeys(config: {
  readonly dataDirectory: string
  readonly listen: readonly string[]
  readonly authorizedWorkersFile?: string
}): Promise<WorkerKeys | undefined> {
  if (config.listen.length === 0) return undefined
  const file = config.authorizedWorkersFile ?? join(config.dataDirectory, 'authorized-workers')
  return new WorkerKeys(await loadHubKey(config.dataDirectory), new AuthorizedWorkers(file, Date.now))
}
