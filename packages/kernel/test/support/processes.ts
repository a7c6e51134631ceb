import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Waits for a condition that another process brings about; there is no event to wait for. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 5_000): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Living processes of a group, zombies left out. */
export function groupMembers(group: number): readonly number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,pgid=,stat='], { encoding: 'utf8' }).trim().split('\n')
  return lines.flatMap((line) => {
    const [pid, pgid, state] = line.trim().split(/\s+/)
    return Number(pgid) === group && !state?.startsWith('Z') ? [Number(pid)] : []
  })
}

export const hasProc = existsSync('/proc/self/status')

export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}
