import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** The CPUs that this process may use, as `taskset` has them. */
export function allCpus(): string {
  return /^Cpus_allowed_list:\s+(\S+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0'
}

export function firstCpu(): string {
  return /^\d+/.exec(allCpus())?.[0] ?? '0'
}

/** All threads of these processes run on these CPUs from now on. False: nothing here can see to that. */
export async function runOn(cpus: string, pids: readonly number[]): Promise<boolean> {
  try {
    for (const pid of pids) await promisify(execFile)('taskset', ['-a', '-p', '-c', cpus, `${pid}`])
    return true
  } catch {
    return false
  }
}
