import { readdirSync, readFileSync } from 'node:fs'

/** These processes and all their descendants, as they are now. */
export function processTree(roots: readonly number[]): number[] {
  const children = childrenOfAll()
  const found = new Set<number>()
  const add = (pid: number) => {
    if (found.has(pid)) return
    found.add(pid)
    for (const child of children.get(pid) ?? []) add(child)
  }
  for (const root of roots) add(root)
  return [...found]
}

function childrenOfAll(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  return children
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')[1])
  } catch {
    return undefined
  }
}
