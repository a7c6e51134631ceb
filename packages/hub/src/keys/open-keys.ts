import type { HubConfig } from '../config.js'
import { StartError } from '../start-error.js'
import { allowListIn } from './allow-list-file.js'
import { AuthorizedWorkers } from './authorized-workers.js'
import { KeyFileError, type KeyPair, loadHubKey } from './key-files.js'
import { WorkerKeys } from './worker-keys.js'

type KeysConfig = Pick<HubConfig, 'dataDirectory' | 'listen' | 'authorizedWorkersFile'>

/** The keys of a hub that serves other machines; undefined for any other. @throws StartError without a pair of its own. */
export async function openKeys({
  dataDirectory,
  listen,
  authorizedWorkersFile,
}: KeysConfig): Promise<WorkerKeys | undefined> {
  if (listen.length === 0) return undefined
  const file = authorizedWorkersFile ?? allowListIn(dataDirectory)
  return new WorkerKeys(await hubKey(dataDirectory), new AuthorizedWorkers(file, Date.now))
}

async function hubKey(dataDirectory: string): Promise<KeyPair> {
  try {
    return await loadHubKey(dataDirectory)
  } catch (error) {
    throw error instanceof KeyFileError ? new StartError(error.message) : error
  }
}
