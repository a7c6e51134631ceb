import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { type Exit, exitOf, killGroup } from '../runtime/process-group.js'
import { sandboxInfoBytesMax } from './limits.js'
import { innermostPid } from './namespaces.js'
import { childrenOf } from './process-table.js'
import type { Program, Sandbox } from './sandbox.js'

export interface ContainedProcessOptions {
  readonly sandbox: Sandbox
  readonly program: Program
  readonly environment: { readonly [name: string]: string }
  /** As in `spawn`; nothing is added before the last one. */
  readonly stdio: readonly (number | 'ignore' | 'pipe')[]
}

/**
 * A program in a process group of its own, in the sandbox or without one, to its user alike: its exit is its own, and
 * killing it ends all that is in the sandbox.
 */
export class ContainedProcess {
  /** The program, or bubblewrap around it: for its stdio only. */
  readonly child: ChildProcess
  /** How the program ended, whatever is around it. */
  readonly exit: Promise<Exit>
  readonly #sandboxed: boolean
  #initPid: Promise<number | undefined> = Promise.resolve(undefined)
  #init: number | undefined
  #over = false

  constructor({ sandbox, program, environment, stdio }: ContainedProcessOptions) {
    const infoDescriptor = stdio.length
    const { command, args, environment: added } = sandbox.wrap(program, infoDescriptor)
    this.#sandboxed = sandbox.kind === 'bubblewrap'
    this.child = spawn(command, args, {
      cwd: this.#sandboxed ? '/' : program.workingDirectory,
      env: { ...environment, ...added },
      // A group of its own, so that all that the program starts can be ended with it.
      detached: true,
      stdio: (this.#sandboxed ? [...stdio, 'pipe'] : [...stdio]) as StdioOptions,
    })
    if (this.#sandboxed) this.#initPid = this.#readInit(this.child.stdio[infoDescriptor] as Readable)
    this.exit = exitOf(this.child).then((exit) => {
      this.#over = true
      // What it has left in its group. A number is not given again while one of a group lives.
      if (this.child.pid !== undefined) killGroup(this.child.pid, 'SIGKILL')
      return this.#sandboxed ? throughWrapper(exit) : exit
    })
  }

  /** Whether nothing inside can live on when the program ends, whatever group it is in. */
  get endsAsOne(): boolean {
    return this.#sandboxed
  }

  /** What the program's `getppid()` says while all is well; the sandbox's init counts as 1 inside. */
  get parentInside(): number {
    return this.#sandboxed ? 1 : process.pid
  }

  /**
   * The process that calls itself `inside`, as this machine counts. Undefined when it is gone. Outside a sandbox the two are
   * the same.
   */
  async pidOf(inside: number): Promise<number | undefined> {
    if (!this.#sandboxed) return inside
    const init = await this.#initPid
    if (init === undefined) return undefined
    for (const pid of await childrenOf(init)) {
      if ((await innermostPid(pid)) === inside) return pid
    }
    return undefined
  }

  /** The top of all processes in here: the sandbox's init, or the program itself. */
  get root(): number | undefined {
    return this.#sandboxed ? this.#init : this.child.pid
  }

  /** The end of everything: with the sandbox's init all programs inside end, those of other groups too. */
  killAll(): void {
    if (this.#over || this.child.pid === undefined) return
    if (this.#init === undefined) return killGroup(this.child.pid, 'SIGKILL')
    try {
      // Not bubblewrap itself: it tells the end once all is over.
      process.kill(this.#init, 'SIGKILL')
    } catch {
      killGroup(this.child.pid, 'SIGKILL')
    }
  }

  async #readInit(info: Readable): Promise<number | undefined> {
    let text = ''
    try {
      for await (const chunk of info) {
        text += String(chunk)
        if (text.length > sandboxInfoBytesMax) break
      }
      const pid: unknown = (JSON.parse(text) as { readonly 'child-pid'?: unknown })['child-pid']
      if (typeof pid === 'number' && !this.#over) this.#init = pid
    } catch {
      // It ended before it had begun; its exit tells why.
    }
    return this.#init
  }
}

/** Where two names have one number, the first stays: SIGABRT, not SIGIOT. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals] as const),
)

/** As shells do, bubblewrap tells a signal n as the exit code 128 + n. A program that exits with such a code is mistaken. */
export function throughWrapper(exit: Exit): Exit {
  const signal = exit.code === null ? undefined : signalNames.get(exit.code - 128)
  return signal === undefined ? exit : { ...exit, code: null, signal }
}
