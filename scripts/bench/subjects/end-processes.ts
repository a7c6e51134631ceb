import { readdirSync, readFileSync } from 'node:fs'

/** Who is being ended may just have started another. */
const passesMax = 3

/** Ends every process whose environment names this directory: also those that left their parents. */
export function endProcessesOf(directory: string): void {
  for (let pass = 0; pass < passesMax; pass += 1) {
    const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(directory))
    const others = found.map(Number).filter((pid) => pid !== process.pid)
    if (others.length === 0) return
    others.forEach(end)
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
