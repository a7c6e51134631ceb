import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { HubProcess } from '../hub-process.js'

const program = fileURLToPath(new URL('./replica-program.js', import.meta.url))

export interface ReplicaOptions {
  /** Calls held at once. */
  readonly concurrency: number
  /** Of each tool, in ms. */
  readonly timeoutMs: number
}

/** One life of a replica: a process that is signed in. */
export class Replica {
  /** Names it in the journals. */
  readonly label: string
  /** Names it at the hub. */
  readonly instance: string
  readonly #child: ChildProcess
  readonly ended: Promise<unknown>

  private constructor(label: string, instance: string, child: ChildProcess) {
    this.label = label
    this.instance = instance
    this.#child = child
    this.ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve()
  }

  /** Resolves when it is welcomed. */
  static async start(hub: HubProcess, label: string, { concurrency, timeoutMs }: ReplicaOptions): Promise<Replica> {
    const { child, told } = await hub.worker(program, [label, hub.directory, `${concurrency}`, `${timeoutMs}`])
    return new Replica(label, told as string, child)
  }

  get pid(): number {
    return this.#child.pid!
  }

  signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name)
  }
}
