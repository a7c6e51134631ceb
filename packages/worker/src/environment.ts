import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readWorkerKeys, type WorkerKeys } from './worker-keys.js'

/** What a worker takes from its surroundings; {@link RunOptions} overrides each. */
export interface Environment {
  readonly endpoint: string
  readonly secret?: string
  readonly keys?: WorkerKeys
  readonly logLevel: string
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Longest path of a Unix socket on Linux, without its end mark. */
const socketPathBytesMax = 107

/** The one place that reads `process.env`. Throws one Error that names every problem. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const problems: string[] = []
  const endpoint = env['CALLBOARD_HUB'] || `ipc://${join(runtimeDirectory(env), 'worker.sock')}`
  const problemsOfKeys: string[] = []
  const keys = readWorkerKeys(env, problemsOfKeys)
  problems.push(...problemsOfKeys)
  const problem = endpointProblem(endpoint, keys !== undefined || problemsOfKeys.length > 0)
  if (problem !== undefined) problems.push(`CALLBOARD_HUB: ${problem}`)
  const logLevel = env['CALLBOARD_LOG_LEVEL'] || 'info'
  if (!logLevels.includes(logLevel)) problems.push(`CALLBOARD_LOG_LEVEL: must be one of ${logLevels.join(', ')}`)
  const secret = readSecret(env, problems)
  if (problems.length > 0) throw new Error(`The environment is not usable:\n  ${problems.join('\n  ')}`)
  return { endpoint, logLevel, ...(secret === undefined ? {} : { secret }), ...(keys === undefined ? {} : { keys }) }
}

/** `hasKeys`: the worker can prove who it is, and knows the hub. */
export function endpointProblem(endpoint: string, hasKeys: boolean): string | undefined {
  if (endpoint.startsWith('tcp://')) {
    if (!/^tcp:\/\/.+:\d{1,5}$/.test(endpoint))
      return `${endpoint} has no port: write tcp://HOST:PORT, like tcp://hub:8766`
    return hasKeys || isLoopback(endpoint)
      ? undefined
      : `${endpoint} is on another machine, which takes keys: set CALLBOARD_KEY_FILE to a file that "callboard keys new NAME" made, and CALLBOARD_HUB_KEY to what "callboard keys hub" prints there`
  }
  if (!endpoint.startsWith('ipc://')) return `must start with ipc:// or tcp://, not ${JSON.stringify(endpoint)}`
  const bytes = Buffer.byteLength(endpoint) - 'ipc://'.length
  return bytes <= socketPathBytesMax
    ? undefined
    : `the path has ${bytes} bytes; a socket's has at most ${socketPathBytesMax}`
}

const isLoopback = (endpoint: string): boolean => /^tcp:\/\/(127(\.\d{1,3}){3}|\[::1\]|localhost)(:|$)/.test(endpoint)

function runtimeDirectory(env: NodeJS.ProcessEnv): string {
  if (env['CALLBOARD_RUNTIME']) return env['CALLBOARD_RUNTIME']
  if (env['XDG_RUNTIME_DIR']) return join(env['XDG_RUNTIME_DIR'], 'callboard')
  return join(tmpdir(), `callboard-${process.getuid?.() ?? 0}`)
}

function readSecret(env: NodeJS.ProcessEnv, problems: string[]): string | undefined {
  if (env['CALLBOARD_SIGN_IN_SECRET']) return env['CALLBOARD_SIGN_IN_SECRET']
  const file = env['CALLBOARD_SIGN_IN_SECRET_FILE']
  if (!file) return undefined
  try {
    const secret = readFileSync(file, 'utf8').trim()
    if (secret !== '') return secret
    problems.push(`CALLBOARD_SIGN_IN_SECRET_FILE: ${file} is empty`)
  } catch (error) {
    problems.push(`CALLBOARD_SIGN_IN_SECRET_FILE: ${error instanceof Error ? error.message : String(error)}`)
  }
  return undefined
}
