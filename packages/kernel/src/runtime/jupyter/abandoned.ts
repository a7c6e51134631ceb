import { constants } from 'node:fs'
import { lstat, open, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { identityOf, stateOf } from '../../isolation/process-identity.js'
import { ownerFileBytesMax } from '../../limits.js'

const ownerFile = 'worker'
const ownerSchema = z.object({ pid: z.int().positive(), pidStarted: z.string() })

/** Writes down that the directory is this worker's, for those who come after it. */
export async function claim(directory: string): Promise<void> {
  const owner = await identityOf(process.pid)
  if (owner) await writeFile(join(directory, ownerFile), JSON.stringify(owner), { mode: 0o600, flag: 'wx' })
}

/**
 * Removes what workers that were killed have left in `parent`, by names that begin with `prefix`: in a sandbox not even a
 * guardian outlives the worker to do it. Never rejects.
 */
export async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const directory = join(parent, name)
    if (await isAbandoned(directory).catch(() => false)) {
      await rm(directory, { recursive: true, force: true }).catch(() => {})
    }
  }
}

async function isAbandoned(directory: string): Promise<boolean> {
  const status = await lstat(directory)
  if (!status.isDirectory() || status.uid !== process.getuid?.()) return false
  // The kernel may have put anything in its place.
  const file = await open(join(directory, ownerFile), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ownerFileBytesMax))
    return (await stateOf(ownerSchema.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead))))) === 'gone'
  } finally {
    await file.close()
  }
}
