import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from './start-error.js'

/** What lies in the runtime directory. */
export interface RuntimePaths {
  readonly directory: string
  /** ZeroMQ, for workers. */
  readonly workerSocket: string
  /** Newline-delimited JSON-RPC, for agents and the command line. */
  readonly mcpSocket: string
  readonly lock: string
}

/** `sun_path` less its final zero: a longer path is cut off or refused by the system, with no useful error. */
export const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107

export function runtimePaths(directory: string): RuntimePaths {
  return {
    directory,
    workerSocket: join(directory, 'worker.sock'),
    mcpSocket: join(directory, 'mcp.sock'),
    lock: join(directory, 'hub.lock'),
  }
}

/** @throws StartError when the directory can't serve. */
export async function prepareRuntimeDirectory(directory: string): Promise<RuntimePaths> {
  const paths = runtimePaths(directory)
  const bytes = Buffer.byteLength(paths.workerSocket)
  if (bytes > socketPathBytesMax) {
    throw new StartError(
      `The socket path ${paths.workerSocket} has ${bytes} bytes and at most ${socketPathBytesMax} work: set CALLBOARD_RUNTIME to a shorter directory.`,
    )
  }
  await makePrivate(directory, 'CALLBOARD_RUNTIME')
  return paths
}

/** Makes a directory for its owner only, and refuses one that others can write or that is not ours. */
export async function makePrivate(directory: string, variable: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(
      `${directory} can't be made (${code(error)}): set ${variable} to a directory that you can write.`,
    )
  }
  const status = await lstat(directory)
  const owner = process.getuid?.() ?? status.uid
  if (!status.isDirectory()) throw new StartError(`${directory} is no directory: set ${variable} to another path.`)
  if (status.uid !== owner) {
    throw new StartError(`${directory} belongs to another user: set ${variable} to a directory of your own.`)
  }
  if ((status.mode & 0o077) !== 0) {
    throw new StartError(`${directory} is open to other users: run chmod 700 ${directory}, or set ${variable}.`)
  }
}

const code = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
