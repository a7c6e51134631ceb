import {
  formerHubKeyFileIn,
  hubKeyFileIn,
  loadHubKey,
  nextHubKeyFileIn,
  preparedHubKey,
  prepareHubKey,
  switchHubKey,
} from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { explaining } from '../keys/allow-list-place.js'
import { complain, print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface KeysHubOptions {
  readonly new?: boolean
  readonly switch?: boolean
  readonly json?: boolean
}

/** Prints what workers must know: the key in force, and in a line of its own the next one, when it is prepared. */
export async function runKeysHub(options: KeysHubOptions): Promise<void> {
  const { dataDirectory } = readEnvironment()
  if (options.new && options.switch) {
    throw new UsageError('Give --new first, and --switch when all workers have both keys.')
  }
  if (options.new) await explaining(prepareHubKey(dataDirectory))
  if (options.switch) await explaining(switchHubKey(dataDirectory))
  const { publicKey: key } = await explaining(loadHubKey(dataDirectory))
  const next = (await explaining(preparedHubKey(dataDirectory)))?.publicKey
  const files = { file: hubKeyFileIn(dataDirectory), ...(next && { next, nextFile: nextHubKeyFileIn(dataDirectory) }) }
  if (options.json) return printJson({ key, ...files })
  print(next === undefined ? key : `${key}\n${next}`)
  if (options.new) complain(`Start each worker anew with CALLBOARD_HUB_KEY='${key},${next}'; then: ${switchCommand}`)
  if (options.switch) {
    complain(`The hub has this key from its next start on; the one before is in ${formerHubKeyFileIn(dataDirectory)}.`)
  }
}

const switchCommand = 'callboard keys hub --switch'
