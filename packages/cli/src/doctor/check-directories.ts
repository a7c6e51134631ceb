import { accessSync, constants, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { connectHub } from '../hub-link/hub-socket.js'
import { type RuntimeFiles, runtimeFiles, socketPathBytesMax } from '../hub-link/runtime-files.js'
import { type Finding, note, ok, problem } from './finding.js'

export async function checkRuntimeDirectory(directory: string): Promise<Finding[]> {
  const paths = runtimeFiles(directory)
  const path = checkSocketPath(paths)
  // What is too long to listen at is too long to look at.
  if (path.status === 'problem') return [path]
  return [checkPrivate('runtime directory', directory, 'CALLBOARD_RUNTIME'), path, await checkSocket(paths)]
}

export function checkDataDirectory(directory: string): Finding {
  return checkPrivate('data directory', directory, 'CALLBOARD_DATA')
}

function checkPrivate(check: string, directory: string, variable: string): Finding {
  const elsewhere = `set ${variable} to another directory`
  try {
    return checkEntry(check, directory, variable, elsewhere)
  } catch (error) {
    return problem(check, `${directory} can't be used (${(error as NodeJS.ErrnoException).code ?? error})`, elsewhere)
  }
}

function checkEntry(check: string, directory: string, variable: string, elsewhere: string): Finding {
  const status = lstatSync(directory, { throwIfNoEntry: false })
  if (status === undefined) return checkParent(check, directory, variable)
  if (!status.isDirectory()) return problem(check, `${directory} is no directory`, elsewhere)
  if (process.getuid !== undefined && status.uid !== process.getuid()) {
    return problem(check, `${directory} belongs to user ${status.uid}`, elsewhere)
  }
  if ((status.mode & 0o077) !== 0) {
    return problem(check, `${directory} is open to other users`, `run chmod 700 ${directory}`)
  }
  if (!isWritable(directory))
    return problem(check, `${directory} can't be written`, `run chmod u+w ${directory}, or ${elsewhere}`)
  return ok(check, directory)
}

function checkParent(check: string, directory: string, variable: string): Finding {
  let parent = dirname(directory)
  while (lstatSync(parent, { throwIfNoEntry: false }) === undefined) parent = dirname(parent)
  if (isWritable(parent)) return ok(check, `${directory} (the first start makes it)`)
  return problem(check, `${directory} can't be made in ${parent}`, `set ${variable} to a directory that you can write`)
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function checkSocketPath({ workerSocket }: RuntimeFiles): Finding {
  const bytes = Buffer.byteLength(workerSocket)
  const detail = `${workerSocket} has ${bytes} bytes of at most ${socketPathBytesMax}`
  if (bytes <= socketPathBytesMax) return ok('socket path', detail)
  return problem('socket path', detail, 'set CALLBOARD_RUNTIME to a shorter directory')
}

async function checkSocket({ mcpSocket }: RuntimeFiles): Promise<Finding> {
  try {
    const socket = await connectHub(mcpSocket)
    socket.destroy()
    return ok('socket', `${mcpSocket} is answered`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ok('socket', 'nothing is left of an earlier hub')
    if (code === 'ECONNREFUSED') {
      return note(
        'socket',
        `${mcpSocket} is left over from a hub that was killed`,
        'none needed: the next hub replaces it',
      )
    }
    return problem('socket', `${mcpSocket}: ${code ?? error}`, 'end the hub with "callboard down", and start it anew')
  }
}
