import { readdirSync, readFileSync } from 'node:fs'

/**
 * What all threads of a process have used of a CPU so far, user and system, in ms. From the scheduler's own books, which have
 * nanoseconds: the clock ticks of `stat` are as long as hundreds of calls.
 */
export function cpuMsOf(pid: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0])
    } catch {
      // A thread may end at any time.
    }
  }
  return nanoseconds / 1e6
}

export function residentMebibytesOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return Number(kibibytes) / 1024
}
