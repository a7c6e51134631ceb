import { existsSync, readFileSync, statSync } from 'node:fs'
import { type CurveKeyPair, decodeCurveKey, parseKeyPair } from '@callboard/protocol'
import { hubKeysMax, keyFileBytesMax } from './limits.js'

/** What a worker needs to reach a hub on another machine: its own pair, and the public key by which it knows the hub. In Z85. */
export interface WorkerKeys extends CurveKeyPair {
  /** Several while the hub's is being replaced, four at most: one after the other is tried until the hub has it. */
  readonly hubKey: string | readonly string[]
}

export const hubKeysOf = ({ hubKey }: Pick<WorkerKeys, 'hubKey'>): readonly string[] =>
  typeof hubKey === 'string' ? [hubKey] : hubKey

/** Reads the keys that the environment names; what is wrong with them goes to `problems`. Undefined: it names none. */
export function readWorkerKeys(env: NodeJS.ProcessEnv, problems: string[]): WorkerKeys | undefined {
  const file = env['CALLBOARD_KEY_FILE'] || undefined
  const isHubNamed = Boolean(env['CALLBOARD_HUB_KEY'] || env['CALLBOARD_HUB_KEY_FILE'])
  if (file === undefined && !isHubNamed) return undefined
  if (file === undefined) {
    problems.push('CALLBOARD_KEY_FILE: is missing beside the key of the hub: make one with "callboard keys new NAME"')
    return undefined
  }
  const pair = attempt('CALLBOARD_KEY_FILE', problems, () => readPair(file))
  const hubKey = attempt(
    env['CALLBOARD_HUB_KEY'] ? 'CALLBOARD_HUB_KEY' : isHubNamed ? 'CALLBOARD_HUB_KEY_FILE' : 'CALLBOARD_HUB_KEY',
    problems,
    () => readHubKeys(env),
  )
  return pair === undefined || hubKey === undefined ? undefined : { ...pair, hubKey }
}

function readPair(file: string): CurveKeyPair {
  if (!existsSync(file))
    throw new Error(`there is no ${file}: make it with "callboard keys new NAME"${aboutHome(file)}`)
  if ((statSync(file).mode & 0o077) !== 0) throw new Error(`other users can read ${file}: run "chmod 600 ${file}"`)
  const pair = parseKeyPair(readShort(file))
  if (pair === undefined) throw new Error(`${file} is no key file: make one with "callboard keys new NAME"`)
  return pair
}

/** No shell has been at work on a variable of a unit or a compose file. */
const aboutHome = (file: string): string => (file.startsWith('~') ? '; ~ is not the home directory here' : '')

/** Commas or lines between them. */
function readHubKeys(env: NodeJS.ProcessEnv): readonly string[] {
  const file = env['CALLBOARD_HUB_KEY_FILE']
  const given = env['CALLBOARD_HUB_KEY'] || (file ? readShort(file) : '')
  const keys = new Set(given.split(/[\n,]/).flatMap(hubKeyIn))
  if (keys.size === 0)
    throw new Error('is missing: it is the hub\'s public key, which "callboard keys hub" prints there')
  if (keys.size > hubKeysMax) throw new Error(`has ${keys.size} keys: ${hubKeysMax} at most, remove what is over`)
  return [...keys]
}

/** A copy of a key file or of its line does as well. */
function hubKeyIn(text: string): string[] {
  const line = text.trim()
  const key = /^public\s+(\S+)$/.exec(line)?.[1] ?? line
  if (decodeCurveKey(key) !== undefined) return [key]
  if (line === '' || line.startsWith('#') || line.startsWith('secret ')) return []
  throw new Error('is no key of 40 characters: "callboard keys hub" prints it')
}

function readShort(file: string): string {
  if (statSync(file).size > keyFileBytesMax) throw new Error(`${file} is too long for a key file`)
  return readFileSync(file, 'utf8')
}

function attempt<Value>(variable: string, problems: string[], read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    problems.push(`${variable}: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}
