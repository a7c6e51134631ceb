import { hubKeyFileIn, loadHubKey } from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { explaining } from '../keys/allow-list-place.js'
import { print, printJson } from '../output.js'

export async function runKeysHub({ json }: { readonly json?: boolean }): Promise<void> {
  const { dataDirectory } = readEnvironment()
  const { publicKey } = await explaining(loadHubKey(dataDirectory))
  if (json) printJson({ key: publicKey, file: hubKeyFileIn(dataDirectory) })
  else print(publicKey)
}
