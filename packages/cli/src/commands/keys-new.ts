import { resolve } from 'node:path'
import { makeKeyFile, workerKeyFileIn, workerNameProblem } from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { explaining } from '../keys/allow-list-place.js'
import { complain, print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface KeysNewOptions {
  readonly out?: string
  readonly json?: boolean
}

export async function runKeysNew(name: string, { out, json }: KeysNewOptions): Promise<void> {
  requireWorkerName(name)
  if (out === '') throw new UsageError('--out must name a file.')
  const file = resolve(out ?? workerKeyFileIn(readEnvironment().dataDirectory, name))
  const { publicKey } = await explaining(makeKeyFile(file, `worker ${name}`))
  if (json) return printJson({ name, key: publicKey, file })
  print(publicKey)
  complain(
    [
      `The secret half is in ${file}; it stays on the machine where the worker runs.`,
      `Next, where the hub runs: callboard keys authorize ${name} '${publicKey}'`,
      `Then start the worker with CALLBOARD_KEY_FILE=${file}, CALLBOARD_HUB=tcp://HOST:PORT and CALLBOARD_HUB_KEY (what "callboard keys hub" prints there).`,
    ].join('\n'),
  )
}

/** @throws UsageError */
export function requireWorkerName(name: string): void {
  const problem = workerNameProblem(name)
  if (problem !== undefined) throw new UsageError(`${JSON.stringify(name)} ${problem}.`)
}
