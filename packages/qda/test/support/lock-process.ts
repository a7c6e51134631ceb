import { fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A process of its own that works with the lock of a project. */
export interface LockProcess {
  /** `acquire` and `stillOurs` answer true or false; `release` true. */
  readonly ask: (what: 'acquire' | 'stillOurs' | 'release') => Promise<boolean>
  /** With SIGKILL. */
  readonly kill: () => Promise<void>
}

/** `now`: what its clock says, UTC ms, and no other time. */
export async function startLockProcess(path: string, now: number): Promise<LockProcess> {
  const script = new URL('./processes/lock-holder.mjs', import.meta.url)
  const child = fork(script, [path, String(now)])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return {
    ask: async (what) => {
      child.send(what)
      const [answer] = (await once(child, 'message')) as [boolean]
      return answer
    },
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
