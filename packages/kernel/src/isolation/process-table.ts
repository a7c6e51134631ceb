import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import { promisify } from 'node:util'
import { processListBytesMax, processTableAgeMs, processTableMs } from './limits.js'

/** One process of this machine, ended ones that nobody has waited for too: they take a place. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** With the pid: which process it is, as a pid is given again after a while. In the system's own words. */
  readonly started: string
  readonly residentBytes: number
  readonly ended: boolean
}

const run = promisify(execFile)

let latest: { readonly at: number; readonly entries: Promise<readonly ProcessEntry[]> } | undefined

/** Of the machine; shared by all who ask at about the same time. Empty where it cannot be had. */
export function processTable(maxAgeMs = processTableAgeMs): Promise<readonly ProcessEntry[]> {
  const now = performance.now()
  if (latest === undefined || now - latest.at > maxAgeMs) latest = { at: now, entries: readTable() }
  return latest.entries
}

/** Those that `isRoot` names, with all their descendants. */
export function familyOf(
  entries: readonly ProcessEntry[],
  isRoot: (entry: ProcessEntry) => boolean,
): readonly ProcessEntry[] {
  const children = groupByParent(entries)
  const family = new Map<number, ProcessEntry>()
  const pending = entries.filter(isRoot)
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (family.has(entry.pid)) continue
    family.set(entry.pid, entry)
    pending.push(...(children.get(entry.pid) ?? []))
  }
  return [...family.values()]
}

/** Children of the main thread of a process. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  try {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    // Kernels may be built without it.
    return (await processTable(0)).flatMap((entry) => (entry.parent === pid ? [entry.pid] : []))
  }
}

/** Undefined when it is gone. */
export async function processEntry(pid: number): Promise<ProcessEntry | undefined> {
  if (process.platform === 'linux') return readEntry(pid, pageBytes())
  return (await listByPs(['-p', String(pid)]))[0]
}

async function readTable(): Promise<readonly ProcessEntry[]> {
  if (process.platform !== 'linux') return listByPs(['-ax'])
  const bytes = pageBytes()
  let names: readonly string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  // In one piece, without the event loop: a table read in turns tells of no single moment.
  return names.flatMap((name) => (/^\d+$/.test(name) ? (readEntry(Number(name), bytes) ?? []) : []))
}

function readEntry(pid: number, bytesOfPage: number): ProcessEntry | undefined {
  let line: string
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The name before may hold anything, parentheses and spaces too.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => fields[number - 3] ?? ''
  return {
    pid,
    parent: Number(field(4)),
    group: Number(field(5)),
    started: field(22),
    residentBytes: Number(field(24)) * bytesOfPage,
    ended: 'ZX'.includes(field(3)),
  }
}

async function listByPs(selection: readonly string[]): Promise<readonly ProcessEntry[]> {
  try {
    const columns = ['-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'rss=', '-o', 'stat=', '-o', 'lstart=']
    const { stdout } = await run('ps', [...selection, ...columns], {
      timeout: processTableMs,
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
    const [pid, parent, group, kibibytes, state, ...started] = line.trim().split(/\s+/)
    if (pid === undefined || started.length === 0) return []
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      started: started.join(' '),
      residentBytes: Number(kibibytes) * 1024,
      ended: state?.startsWith('Z') ?? false,
    }
  })
}

let bytesOfPage: number | undefined

/** From what the system tells each program at its start (AT_PAGESZ): 4 KiB nearly everywhere, 16 or 64 on some ARM. */
function pageBytes(): number {
  bytesOfPage ??= readPageBytes()
  return bytesOfPage
}

function readPageBytes(): number {
  const pageSizeKey = 6n
  try {
    const words = readFileSync('/proc/self/auxv')
    const read = (at: number) => (endianness() === 'LE' ? words.readBigUInt64LE(at) : words.readBigUInt64BE(at))
    for (let at = 0; at + 16 <= words.length; at += 16) if (read(at) === pageSizeKey) return Number(read(at + 8))
  } catch {
    // Hidden by a security module.
  }
  return 4096
}

function groupByParent(entries: readonly ProcessEntry[]): Map<number, ProcessEntry[]> {
  const groups = new Map<number, ProcessEntry[]>()
  for (const entry of entries) {
    const siblings = groups.get(entry.parent)
    if (siblings === undefined) groups.set(entry.parent, [entry])
    else siblings.push(entry)
  }
  return groups
}
