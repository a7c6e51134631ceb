import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { endGroup } from './process-group.js'
import { processEntry } from './process-table.js'

/**
 * Which process this is: machine and boot, container, and when in it the process began, so that it is told from a later one
 * with its number. Null when there is none.
 */
export async function identityOf(pid: number): Promise<string | null> {
  const entry = await processEntry(pid)
  return entry === undefined ? null : `${place()}/${entry.started}`
}

/**
 * Ends what is left of a group that was recorded earlier, but only when its leader still is the recorded process: the number
 * may have been given again. `gone`: there is no such leader. `unknown`: recorded on another machine, boot or container.
 */
export async function killGroup(pgid: number, identity: string | null): Promise<'killed' | 'gone' | 'unknown'> {
  // 0 and 1 would be everything this process may signal.
  if (!Number.isSafeInteger(pgid) || pgid <= 1) return 'unknown'
  if (identity === null || !identity.startsWith(`${place()}/`)) return 'unknown'
  if ((await identityOf(pgid)) !== identity) return 'gone'
  await endGroup(pgid)
  return 'killed'
}

let known: string | undefined

/** Processes may share one database over machines and containers, where the same numbers mean others. */
function place(): string {
  known ??=
    process.platform === 'linux' ? [bootId(), processNamespace()].join('/') : `${process.platform}/${hostname()}`
  return known
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

function processNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
