import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** For one lock of this process: whoever reads it on this machine can tell whether the process still lives. */
export function newLockIdentity(): string {
  return `${machine} ${process.pid} ${randomUUID()}`
}

/**
 * Whether a holder, as its lock names it, is one of our processes on this machine that is no more: after a worker's crash
 * nobody needs to wait until its lock is stale. False where that can't be known.
 */
export function isGone(user: string): boolean {
  const [, host, pid] = /\(callboard (\S+) (\d{1,10}) \S+\)$/.exec(user) ?? []
  if (host !== machine) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // Another user's process may not be asked, and lives.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

const machine = hostname().replace(/\s+/g, '-')
