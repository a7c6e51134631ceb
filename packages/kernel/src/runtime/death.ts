import { readFile } from 'node:fs/promises'

/** Why this worker ended a kernel; absent when it died by itself. */
export type KillCause = 'stuck' | 'reset' | 'session_closed' | 'idle' | 'evicted' | 'stopping' | 'protocol'

/** All that is known about the end of a kernel process. */
export interface Death {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly cause?: KillCause
  /** The control group counted an out-of-memory kill during the life of the process. */
  readonly outOfMemory: boolean
  /** Stack traces of faulthandler, if it wrote any. */
  readonly faults: string
}

/** One sentence for the agent. Says "likely" where nothing proves it. */
export function explainDeath(death: Death): string {
  const trace = death.faults === '' ? '' : `\n${death.faults.trimEnd()}`
  switch (death.cause) {
    case 'stuck':
      return `It was killed because it did not react to the interrupt; most likely C code held the interpreter.${trace}`
    case 'reset':
      return 'It was ended by weave_reset.'
    case 'session_closed':
      return 'It was ended with its session.'
    case 'idle':
      return 'It was ended after a long time without a call.'
    case 'evicted':
      return 'It was ended, as the one idle for longest, to make room for another kernel.'
    case 'stopping':
      return 'It was ended because its worker was stopped.'
    case 'protocol':
      return 'It was ended because its control channel was damaged.'
    default:
      return `${explainOwnDeath(death)}${trace}`
  }
}

function explainOwnDeath({ code, signal, outOfMemory }: Death): string {
  if (signal === 'SIGKILL') {
    return outOfMemory
      ? 'It was killed by the system (SIGKILL): the control group ran out of memory.'
      : 'It was killed by SIGKILL, which this worker did not send: likely out of memory, or somebody killed it.'
  }
  if (
    signal === 'SIGSEGV' ||
    signal === 'SIGBUS' ||
    signal === 'SIGABRT' ||
    signal === 'SIGFPE' ||
    signal === 'SIGILL'
  ) {
    return `It crashed in native code (${signal}).`
  }
  if (signal !== null) return `It was ended by ${signal}.`
  return `It exited with code ${code ?? 'unknown'} (os._exit, or an extension that ends the process).`
}

/** Out-of-memory kills of this program's control group so far; undefined where there is none. */
export async function outOfMemoryKills(): Promise<number | undefined> {
  try {
    const group = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1]
    if (group === undefined) return undefined
    const events = await readFile(`/sys/fs/cgroup${group}/memory.events`, 'utf8')
    const count = /^oom_kill (\d+)$/m.exec(events)?.[1]
    return count === undefined ? undefined : Number(count)
  } catch {
    return undefined
  }
}
