import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  type AuthorizedWorker,
  formerHubKeyFileIn,
  hubKeyFileIn,
  isOver,
  nextHubKeyFileIn,
  readAllowList,
  readKeyFile,
  readPublicKey,
  workerKeyFileIn,
  workersOf,
} from '@callboard/hub'
import type { Environment } from '../environment.js'
import type { HubStatus } from '../hub-link/hub-status.js'
import { allowListFile } from '../keys/allow-list-place.js'
import { keyEndsSoonMs } from '../limits.js'
import { minute } from '../utc-minute.js'
import { checkOpenFiles } from './check-open-files.js'
import { type Finding, note, ok, problem } from './finding.js'

type Place = Pick<Environment, 'variables' | 'dataDirectory'>

type RunningHub = HubStatus['hub']

/**
 * Key files, the allow-list, and whether a hub that listens for workers elsewhere can have any. Of a hub that runs counts
 * what it says of itself, not what this environment would make of another. `wanted`: where the next one would listen.
 * `now`: UTC ms.
 */
export async function checkKeys(
  place: Place,
  hub: RunningHub | undefined,
  wanted: readonly string[],
  now: number,
): Promise<Finding[]> {
  const isListening = hub === undefined ? wanted.length > 0 : hub.keyed !== undefined
  return [
    ...(await checkKeyFiles(place.dataDirectory)),
    ...(await checkListening(place, hub?.keyed)),
    ...(await checkAllowList(() => hub?.keyed?.allowList ?? allowListFile(place), isListening, now)),
    ...(isListening ? checkOpenFiles(hub?.pid) : []),
  ]
}

/** What commands change here is not always what the hub reads. */
async function checkListening(place: Place, keyed: RunningHub['keyed']): Promise<Finding[]> {
  if (keyed === undefined) return []
  const findings = [ok('listen', keyed.listen.join(', '))]
  const remedy = `run them with CALLBOARD_AUTHORIZED_WORKERS=${keyed.allowList}, or start the hub anew`
  if (resolve(keyed.allowList) !== resolve(fileHere(place) ?? keyed.allowList)) {
    findings.push(problem('allow-list', `the hub reads ${keyed.allowList}, and "callboard keys" here another`, remedy))
  }
  const key = await readPublicKey(hubKeyFileIn(place.dataDirectory)).catch(() => keyed.hubKey)
  if (key !== keyed.hubKey) {
    findings.push(note('keys', `the hub still has the key ${keyed.hubKey}, not the one of hub.key`, 'start it anew'))
  }
  return findings
}

/** A variable that is wrong is told where the list is read. */
function fileHere(place: Place): string | undefined {
  try {
    return allowListFile(place)
  } catch {
    return undefined
  }
}

async function checkKeyFiles(dataDirectory: string): Promise<Finding[]> {
  const hubKeys = [hubKeyFileIn, nextHubKeyFileIn, formerHubKeyFileIn].map((fileIn) => fileIn(dataDirectory))
  const findings = await Promise.all([...hubKeys, ...workerKeyFiles(dataDirectory)].map(checkKeyFile))
  return findings.flat()
}

function workerKeyFiles(dataDirectory: string): string[] {
  const directory = dirname(workerKeyFileIn(dataDirectory, 'any'))
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.key'))
      .map((name) => join(directory, name))
  } catch {
    // Most installations have none; the data directory is looked at elsewhere.
    return []
  }
}

async function checkKeyFile(file: string): Promise<Finding[]> {
  if (statusOf(file) === undefined) return []
  try {
    await readKeyFile(file)
    return []
  } catch (error) {
    return [problem('keys', (error as Error).message, 'do that, or remove the file and make a new key')]
  }
}

async function checkAllowList(place: () => string, isListening: boolean, now: number): Promise<Finding[]> {
  let file: string
  let workers: readonly AuthorizedWorker[]
  try {
    file = place()
    workers = workersOf(await readAllowList(file))
  } catch (error) {
    return [
      problem('allow-list', (error as Error).message, 'correct it: "callboard keys list" says whether it is right'),
    ]
  }
  return [...checkMode(file), ...checkCount(file, workers, isListening, now), ...checkEnds(workers, now)]
}

/** That others can change it is found by whoever reads it. */
function checkMode(file: string): Finding[] {
  if (((statusOf(file)?.mode ?? 0) & 0o007) === 0) return []
  return [problem('allow-list', `${file} is open to other users`, `run chmod 640 ${file}`)]
}

function checkCount(file: string, workers: readonly AuthorizedWorker[], isListening: boolean, now: number): Finding[] {
  const good = workers.filter((worker) => !isOver(worker, now)).length
  if (good > 0) return [ok('allow-list', `${good} good`)]
  if (!isListening) return []
  return [
    problem(
      'allow-list',
      `the hub listens for workers on other machines, and ${file} has no key that is good`,
      'run "callboard keys authorize NAME KEY", or take CALLBOARD_LISTEN and listen out of the configuration',
    ),
  ]
}

function checkEnds(workers: readonly AuthorizedWorker[], now: number): Finding[] {
  return workers.flatMap((worker) => {
    const { name, key, expiresAt } = worker
    if (expiresAt === undefined || expiresAt > now + keyEndsSoonMs) return []
    const named = `${name} (${key})`
    const another = `make it longer with "callboard keys authorize ${name} '${key}' --expires 90d"`
    if (!isOver(worker, now)) return [note('allow-list', `${named} is over at ${minute(expiresAt)}`, another)]
    return [
      note(
        'allow-list',
        `${named} is over since ${minute(expiresAt)}`,
        `${another}, or run "callboard keys revoke '${key}'"`,
      ),
    ]
  })
}

const statusOf = (file: string) => {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
