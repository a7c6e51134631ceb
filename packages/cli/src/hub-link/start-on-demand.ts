import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { binary } from '../binary.js'
import { childVariables, type Environment } from '../environment.js'
import { describeFileProblem } from '../file-problem.js'
import * as limits from '../limits.js'
import { CommandError, UsageError } from '../usage-error.js'
import { connectHub, isNobodyThere } from './hub-socket.js'
import { type RuntimeFiles, requireOwnDirectory, runtimeFiles } from './runtime-files.js'

/** The running hub, or one that is started for it. @throws CommandError or UsageError that says why there is none. */
export async function connectOrStart(environment: Environment): Promise<Socket> {
  requireOwnDirectory(environment.runtimeDirectory)
  try {
    return await connectHub(runtimeFiles(environment.runtimeDirectory).mcpSocket)
  } catch (error) {
    if (!isNobodyThere(error)) throw error
  }
  return startOnDemand(environment)
}

/**
 * Starts `callboard up` detached and connects as soon as it answers. Of several programs that do so at once one wins; the
 * others' hubs end with 0, and they all connect to the winner's.
 * @throws CommandError with the reason from the hub's log; UsageError when there is something to change for the user.
 */
export async function startOnDemand(environment: Environment): Promise<Socket> {
  const files = runtimeFiles(environment.runtimeDirectory)
  const log = prepare(files, environment)
  const child = spawn(process.execPath, [binary, 'up', '--on-demand'], {
    detached: true,
    // A daemon must not hold the directory that its first client happened to run in.
    cwd: '/',
    stdio: ['ignore', log.descriptor, log.descriptor],
    env: childVariables(environment),
  })
  closeSync(log.descriptor)
  child.unref()
  return untilAnswered(files.mcpSocket, child, () => lastComplaint(files.log, log.offset))
}

/** @throws UsageError */
function prepare(files: RuntimeFiles, environment: Environment): Log {
  try {
    mkdirSync(files.directory, { recursive: true, mode: 0o700 })
    requireOwnDirectory(files.directory)
    return openLog(files.log)
  } catch (error) {
    const message = describeFileProblem(error, environment)
    throw message === undefined ? error : new UsageError(message, { cause: error })
  }
}

async function untilAnswered(path: string, child: ChildProcess, complaint: () => string | undefined): Promise<Socket> {
  let failure: Error | undefined
  const failed = (why: string, Kind: typeof CommandError | typeof UsageError = CommandError) => {
    failure = new Kind(`The hub could not be started: ${why}`)
  }
  child.once('error', (error) => failed(error.message))
  child.once('exit', (code, signal) => {
    if (code === 0) return
    failed(complaint() ?? `it ended with ${signal ?? `exit code ${code}`}`, code === 2 ? UsageError : CommandError)
  })
  const endsAt = performance.now() + limits.startWaitMs
  while (performance.now() < endsAt) {
    await delay(limits.startPollMs)
    try {
      return await connectHub(path)
    } catch (error) {
      if (!isNobodyThere(error)) throw error
    }
    if (failure !== undefined) throw failure
  }
  const last = complaint()
  throw new CommandError(
    `The hub did not answer within ${limits.startWaitMs / 1000} s after its start${last === undefined ? '.' : `: ${last}`}`,
  )
}

interface Log {
  readonly descriptor: number
  readonly offset: number
}

function openLog(path: string): Log {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > limits.logBytesMax) renameSync(path, `${path}.old`)
  const descriptor = openSync(path, 'a', 0o600)
  return { descriptor, offset: fstatSync(descriptor).size }
}

/** What a failing `up` says to people, else the last thing in its log. */
function lastComplaint(path: string, offset: number): string | undefined {
  const lines = readFileSync(path).subarray(offset).toString('utf8').trimEnd().split('\n')
  const said = lines.findLastIndex((line) => line.startsWith('callboard: '))
  const text = said === -1 ? lines.at(-1) : lines.slice(said).join('\n').slice('callboard: '.length)
  return text === '' ? undefined : text
}
