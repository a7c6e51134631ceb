import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../usage-error.js'

/** What lies in the runtime directory, as far as programs that don't load the hub need it. */
export interface RuntimeFiles {
  readonly directory: string
  readonly mcpSocket: string
  readonly workerSocket: string
  /** What a hub that was started on demand wrote. */
  readonly log: string
  /** There while the hub, or the last one, was started on demand: then it may be started anew on demand. */
  readonly startedOnDemand: string
}

export function runtimeFiles(directory: string): RuntimeFiles {
  return {
    directory,
    mcpSocket: join(directory, 'mcp.sock'),
    workerSocket: join(directory, 'worker.sock'),
    log: join(directory, 'hub.log'),
    startedOnDemand: join(directory, 'started-on-demand'),
  }
}

/** The hub's own limit, the system's `sun_path` less its final zero; the hub's package may be what does not load. */
export const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107

/** @throws UsageError for a directory that nobody can listen in. */
export function requireShortDirectory(directory: string): void {
  const { workerSocket } = runtimeFiles(directory)
  const bytes = Buffer.byteLength(workerSocket)
  if (bytes <= socketPathBytesMax) return
  throw new UsageError(
    `The socket path ${workerSocket} has ${bytes} bytes and at most ${socketPathBytesMax} work: set CALLBOARD_RUNTIME to a shorter directory.`,
  )
}

/**
 * A runtime directory may lie in the world-writable temporary directory, where somebody else may have made it first to
 * be told our tokens.
 * @throws UsageError
 */
export function requireOwnDirectory(directory: string): void {
  requireShortDirectory(directory)
  const status = lstatSync(directory, { throwIfNoEntry: false })
  if (status === undefined) return
  if (!status.isDirectory()) {
    throw new UsageError(`${directory} is no directory: set CALLBOARD_RUNTIME to another path.`)
  }
  if (process.getuid !== undefined && status.uid !== process.getuid()) {
    throw new UsageError(`${directory} belongs to another user: set CALLBOARD_RUNTIME to a directory of your own.`)
  }
}
