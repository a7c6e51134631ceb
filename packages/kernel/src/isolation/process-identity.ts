import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { processEntry } from './process-table.js'

/** A process that is told from a later one with its number. As rows keep it. */
export interface ProcessIdentity {
  readonly pid: number
  /** Of this machine since it was booted, of this container, and when in it the process began; null when that is not known. */
  readonly pidStarted: string | null
}

/** Undefined when there is no such process. */
export async function identityOf(
  pid: number,
): Promise<(ProcessIdentity & { readonly pidStarted: string }) | undefined> {
  const entry = await processEntry(pid)
  return entry === undefined || entry.ended ? undefined : { pid, pidStarted: `${place()}/${entry.started}` }
}

/** `unknown` for a process of another machine or container, and of this machine before it was booted anew. */
export async function stateOf({ pid, pidStarted }: ProcessIdentity): Promise<'alive' | 'gone' | 'unknown'> {
  if (pidStarted === null || !pidStarted.startsWith(`${place()}/`)) return 'unknown'
  return (await identityOf(pid))?.pidStarted === pidStarted ? 'alive' : 'gone'
}

let known: string | undefined

/** Replicas may share one database over machines and containers, where the same numbers mean others. */
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
