import { readdirSync, readFileSync } from 'node:fs'

/**
 * What all threads of a process have used of a CPU so far, user and system, in ms. From the scheduler's own books, which have
 * nanoseconds: the clock ticks of `stat` are as long as hundreds of calls. 0 for a process that has ended.
 */
export function cpuMsOf(pid: number): number {
  let nanoseconds = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0])
    }
  } catch {
    // It may end at any time, and so may each of its threads.
  }
  return nanoseconds / 1e6
}

/** 0 for a process that has ended. */
export function residentMebibytesOf(pid: number): number {
  try {
    const [, kibibytes = 0] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kibibytes) / 1024
  } catch {
    return 0
  }
}
