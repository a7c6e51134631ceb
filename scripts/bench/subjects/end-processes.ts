import { readdirSync, readFileSync } from 'node:fs'

/** Ends every process whose environment names this directory: also those that left their parents. */
export function endProcessesOf(directory: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) !== process.pid && environmentOf(pid).includes(directory)) end(Number(pid))
  }
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    // Gone, or somebody else's.
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone meanwhile.
  }
}
