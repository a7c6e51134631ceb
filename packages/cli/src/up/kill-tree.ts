import { readdirSync, readFileSync } from 'node:fs'

/** Ends a process group and whatever descends from its leader, in groups of its own too: a leader that hangs can't do so itself. */
export function killTree(leader: number): void {
  for (const pid of [leader, ...descendantsOf(leader)]) {
    killGroup(pid)
    kill(pid)
  }
}

/** Does nothing where no process of that group is left. */
export const killGroup = (leader: number): void => kill(-leader)

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone, or leads no group.
  }
}

/** Empty where the system has no `/proc`. */
function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const [child, parent] of processes()) children.set(parent, [...(children.get(parent) ?? []), child])
  const found: number[] = []
  for (let next = [pid]; next.length > 0; ) {
    next = next.flatMap((each) => children.get(each) ?? [])
    found.push(...next)
  }
  return found
}

/** Each with its parent. */
function processes(): (readonly [number, number])[] {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map((entry) => [Number(entry), parentOf(entry)] as const)
  } catch {
    return []
  }
}

/** 0 for one that has ended meanwhile. */
function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
