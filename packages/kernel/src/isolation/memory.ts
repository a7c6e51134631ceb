import { readFile } from 'node:fs/promises'
import { initOf } from './namespaces.js'
import { familyOf, type ProcessEntry, processTable } from './process-table.js'

/** What a kernel and all programs that it has started hold in memory, in bytes; null where the system does not tell. */
export async function memoryOf(pid: number): Promise<number | null> {
  const [entries, init] = await Promise.all([processTable(), initOf(pid)])
  const family = familyOf(entries, (entry) => entry.pid === (init ?? pid) || entry.group === pid)
  return family.length === 0 ? null : memoryTogether(family)
}

/**
 * Pages that several processes share count once: forked workers of one parent have nearly all in common. Where that is not
 * told, the sum of what each sees.
 */
export async function memoryTogether(family: readonly ProcessEntry[]): Promise<number> {
  const parts = await Promise.all(family.map(async (entry) => (await proportional(entry.pid)) ?? entry.residentBytes))
  return parts.reduce((sum, part) => sum + part, 0)
}

async function proportional(pid: number): Promise<number | undefined> {
  try {
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
  } catch {
    return undefined
  }
}
