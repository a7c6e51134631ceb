/** Why this worker ended a kernel; absent when it died by itself. */
export type KillCause =
  | 'stuck'
  | 'reset'
  | 'session_closed'
  | 'idle'
  | 'evicted'
  | 'stopping'
  | 'protocol'
  | 'process_limit'
  | 'memory_limit'

/** All that is known about the end of a kernel process. */
export interface Death {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly cause?: KillCause
  /** Of a limit: what was used, and what may be. */
  readonly detail?: string
  /** The control group counted an out-of-memory kill during the life of the process. */
  readonly outOfMemory: boolean
  /** Stack traces of faulthandler, if it wrote any; the last words of what has none. */
  readonly faults: string
  /** In lower case, what the code was written in; absent: Python in the harness. */
  readonly language?: string
}

/** One sentence for the agent. Says "likely" where nothing proves it. */
export function explainDeath(death: Death): string {
  switch (death.cause) {
    case 'stuck':
      return `It was killed because it did not react to the interrupt; most likely ${held(death)}.`
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
    case 'process_limit':
      return `It was killed, with all its programs, because there were too many of them: ${death.detail ?? 'more than its limit'}.`
    case 'memory_limit':
      return `It was killed because it and its programs together went beyond their memory limit: ${death.detail ?? 'more than its limit'}.`
    default:
      return explainOwnDeath(death)
  }
}

/** Whether the code in the kernel brought it about, rather than this worker or the agent's wish. */
export function isOwnFault({ cause }: Death): boolean {
  return cause === undefined || cause === 'stuck' || cause === 'process_limit' || cause === 'memory_limit'
}

function explainOwnDeath(death: Death): string {
  const { code, signal, outOfMemory } = death
  if (signal === 'SIGKILL') {
    return outOfMemory
      ? 'It was killed by the system (SIGKILL): its control group ran out of memory, which it shares with the programs that it has started.'
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
  return `It exited with code ${code ?? 'unknown'} (${endings(death)}).`
}

function held({ language }: Death): string {
  const holder = language === undefined ? 'C code held the interpreter' : 'native code held it'
  return `${holder}, or the code caught the exception`
}

/** What ends a process from within. */
function endings({ language }: Death): string {
  switch (language) {
    case undefined:
      return 'os._exit, or an extension that ends the process'
    case 'python':
      return 'exit(), quit(), os._exit, or an extension that ends the process'
    case 'r':
      return 'quit(), or native code that ends the process'
    default:
      return 'the code, or a library that it uses, ended the process'
  }
}
