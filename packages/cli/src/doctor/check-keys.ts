import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type AuthorizedWorker,
  hubKeyFileIn,
  isOver,
  readAllowList,
  readKeyFile,
  workerKeyFileIn,
  workersOf,
} from '@callboard/hub'
import type { Environment } from '../environment.js'
import { allowListFile } from '../keys/allow-list-place.js'
import { keyEndsSoonMs } from '../limits.js'
import { minute } from '../utc-minute.js'
import { type Finding, note, ok, problem } from './finding.js'

type Place = Pick<Environment, 'variables' | 'dataDirectory'>

/** Key files, the allow-list, and whether a hub that listens for workers elsewhere can have any. `now`: UTC ms. */
export async function checkKeys(place: Place, isListening: boolean, now: number): Promise<Finding[]> {
  return [...(await checkKeyFiles(place.dataDirectory)), ...(await checkAllowList(place, isListening, now))]
}

async function checkKeyFiles(dataDirectory: string): Promise<Finding[]> {
  const findings = await Promise.all([hubKeyFileIn(dataDirectory), ...workerKeyFiles(dataDirectory)].map(checkKeyFile))
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

async function checkAllowList(place: Place, isListening: boolean, now: number): Promise<Finding[]> {
  let file: string
  let workers: readonly AuthorizedWorker[]
  try {
    file = allowListFile(place)
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
