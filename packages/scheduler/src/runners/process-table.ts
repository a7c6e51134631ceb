import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { processListBytesMax, processListMs } from '../limits.js'

/** One process of this machine, ended ones that nobody has waited for too. */
export interface ProcessEntry {
  readonly pid: number
  readonly group: number
  /** In the system's own words; with the pid it says which process this is, as a pid is given again after a while. */
  readonly started: string
  readonly ended: boolean
}

/** Undefined when it is gone. Read at once on Linux, before a child that has just ended can be reaped. */
export async function processEntry(pid: number): Promise<ProcessEntry | undefined> {
  if (process.platform === 'linux') return readEntry(String(pid))
  return (await listByPs(['-p', String(pid)]))[0]
}

/** Whether a process of the group lives; one that only waits to be reaped does not. */
export async function groupLives(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0)
  } catch (error) {
    // EPERM: it is there, as somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const entries = process.platform === 'linux' ? readTable() : await listByPs(['-ax'])
  return entries.some((entry) => entry.group === group && !entry.ended)
}

function readTable(): readonly ProcessEntry[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readEntry(name) ?? []) : []))
  } catch {
    // Not mounted. Whoever was hit by SIGKILL is taken for gone.
    return []
  }
}

function readEntry(pid: string): ProcessEntry | undefined {
  let line: string
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The name before may hold anything, parentheses and spaces too. What follows is numbered from 3, see proc(5).
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => fields[number - 3] ?? ''
  return { pid: Number(pid), group: Number(field(5)), started: field(22), ended: 'ZX'.includes(field(3)) }
}

const run = promisify(execFile)

async function listByPs(selection: readonly string[]): Promise<readonly ProcessEntry[]> {
  try {
    const columns = ['-o', 'pid=', '-o', 'pgid=', '-o', 'stat=', '-o', 'lstart=']
    const { stdout } = await run('ps', [...selection, ...columns], {
      timeout: processListMs,
      maxBuffer: processListBytesMax,
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    })
    return parsePs(stdout)
  } catch {
    return []
  }
}

export function parsePs(text: string): readonly ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [pid, group, state, ...started] = line.trim().split(/\s+/)
    if (pid === undefined || started.length === 0) return []
    return {
      pid: Number(pid),
      group: Number(group),
      started: started.join(' '),
      ended: state?.startsWith('Z') ?? false,
    }
  })
}
