import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { readOrMakeSecret } from './secrets.js'

/** Another hub has the runtime directory. */
export class LockedError extends Error {}

/** Held until closed, or until the process ends however it ends: nothing stale can be left behind. */
export interface Lock extends AsyncDisposable {
  release(): Promise<void>
}

/**
 * Takes the lock of a runtime directory by a file in it. ZeroMQ's bind() takes over whatever lies at its path, so two hubs would steal
 * each other's workers without a sound. Linux: a name in the abstract socket namespace. macOS: an exclusive open.
 *
 * @throws LockedError when it is taken.
 */
export async function takeLock(lockFile: string): Promise<Lock> {
  const lock = process.platform === 'darwin' ? await lockFileExclusively(lockFile) : await lockName(lockFile)
  return { release: lock, [Symbol.asyncDispose]: lock }
}

/** Another program that changes a file is done in milliseconds. */
const lockWaitMs = 5_000
const lockPollMs = 20

/** Takes the lock as soon as it is free. @throws LockedError when that takes long. */
export async function waitForLock(lockFile: string): Promise<Lock> {
  const endsAt = performance.now() + lockWaitMs
  for (;;) {
    try {
      return await takeLock(lockFile)
    } catch (error) {
      if (!(error instanceof LockedError) || performance.now() >= endsAt) throw error
      await delay(lockPollMs)
    }
  }
}

/** The namespace is open to every user of the machine: the name is as secret as what lies in the directory. */
async function lockName(lockFile: string): Promise<() => Promise<void>> {
  const digest = createHash('sha256')
    .update(await readOrMakeSecret(lockFile))
    .digest('hex')
  const server = createServer((socket) => socket.destroy())
  await listen(server, `\0callboard-hub-${digest}`)
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new LockedError('the lock is held') : error)
    })
    server.listen({ path }, resolve)
  })
}

// From <fcntl.h> of macOS; Node passes them on and has no names for them.
const sharedLockFlags = { exclusive: 0x20, nonBlocking: 0x04, create: 0x0200, readWrite: 0x02 }

async function lockFileExclusively(path: string): Promise<() => Promise<void>> {
  const { exclusive, nonBlocking, create, readWrite } = sharedLockFlags
  let file: FileHandle | undefined
  try {
    file = await open(path, exclusive | nonBlocking | create | readWrite, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'EAGAIN' || code === 'EWOULDBLOCK' ? new LockedError('the lock is held') : error
  }
  const held = file
  return () => held.close().catch(() => undefined)
}
