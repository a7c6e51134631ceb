import { readFile } from 'node:fs/promises'

/** What a process is called in the innermost of its process namespaces; undefined when it is gone, or without /proc. */
export async function innermostPid(pid: number): Promise<number | undefined> {
  return (await pidsOf(pid))?.at(-1)
}

/** The init of the sandbox that a process is in; undefined when it is in none of ours. */
export async function initOf(pid: number): Promise<number | undefined> {
  const [own, parent] = await Promise.all([pidsOf(pid), parentOf(pid)])
  if (own === undefined || parent === undefined || own.length < 2) return undefined
  const above = await pidsOf(parent)
  return above?.length === own.length && above.at(-1) === 1 ? parent : undefined
}

/** From the namespace that this worker sees inwards. */
async function pidsOf(pid: number): Promise<readonly number[] | undefined> {
  const pids = /^NSpid:\s+(.*)$/m.exec(await statusOf(pid))?.[1]
  return pids?.split(/\s+/).map(Number)
}

async function parentOf(pid: number): Promise<number | undefined> {
  const parent = /^PPid:\s+(\d+)$/m.exec(await statusOf(pid))?.[1]
  return parent === undefined ? undefined : Number(parent)
}

async function statusOf(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
