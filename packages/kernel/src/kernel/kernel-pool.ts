import { join } from 'node:path'
import { ToolError } from '@callboard/worker'
import type { KernelConfig } from '../config.js'
import { idleSweepMs, queueRetryAfterMs } from '../limits.js'
import type { Agent, KernelRecords } from '../records/records.js'
import type { KillCause } from '../runtime/death.js'
import { Kernel, type KernelHouse } from './kernel.js'

export interface KernelPoolOptions {
  readonly config: KernelConfig
  readonly records: KernelRecords
  readonly dataDirectory: string
}

/** All kernels of this worker, one per agent session, within one limit. */
export class KernelPool implements KernelHouse, AsyncDisposable {
  readonly config: KernelConfig
  readonly records: KernelRecords
  readonly #workspaces: string
  readonly #kernels = new Map<string, Kernel>()
  readonly #starting = new Set<Kernel>()
  readonly #sweep: NodeJS.Timeout
  #admissions: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor({ config, records, dataDirectory }: KernelPoolOptions) {
    this.config = config
    this.records = records
    this.#workspaces = join(dataDirectory, 'kernel', 'workspaces')
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(idleSweepMs, config.idleMs))
    this.#sweep.unref()
  }

  /** The agent's kernel; made when absent, without a process yet. */
  kernelOf(agent: Agent): Kernel {
    if (this.#closing) throw new ToolError('unavailable', 'This kernel worker is being stopped.', { retryable: true })
    const known = this.find(agent)
    if (known) return known
    const kernel = new Kernel(agent, this)
    this.#kernels.set(keyOf(agent), kernel)
    return kernel
  }

  find(agent: Agent): Kernel | undefined {
    return this.#kernels.get(keyOf(agent))
  }

  /** One after the other, so that two newcomers never count on the same place. */
  admit(newcomer: Kernel): Promise<{ readonly release: () => void }> {
    const admitted = this.#admissions.then(() => this.#makeRoom(newcomer))
    this.#admissions = admitted.catch(() => {})
    return admitted
  }

  workingDirectory(sessionId: string): string {
    return join(this.#workspaces, sessionId)
  }

  /** The agent has gone for good. */
  async closeSession(session: string): Promise<void> {
    const gone = [...this.#kernels].filter(([, kernel]) => kernel.agent.session === session)
    for (const [key] of gone) this.#kernels.delete(key)
    try {
      // First: the owner's next agent may ask before the process has ended.
      await this.records.releaseSessions(session)
    } finally {
      await Promise.all(gone.map(([, kernel]) => kernel.close('session_closed')))
    }
  }

  /** UTC ms by which the last running cell ends. */
  get busyUntil(): number | undefined {
    const ends = [...this.#kernels.values()].flatMap((kernel) => kernel.busyUntil ?? [])
    return ends.length === 0 ? undefined : Math.max(...ends)
  }

  /** Ends every child within a second. Idempotent. */
  close(cause: KillCause = 'stopping'): Promise<void> {
    this.#closing ??= this.#closeAll(cause)
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Beyond the limit, the kernel idle for longest goes. */
  async #makeRoom(newcomer: Kernel): Promise<{ readonly release: () => void }> {
    for (;;) {
      const others = [...this.#kernels.values()].filter((kernel) => kernel !== newcomer && this.#takesPlace(kernel))
      if (others.length < this.config.maxKernels) break
      const idle = others.filter((kernel) => kernel.hasProcess && kernel.state === 'idle')
      const longest = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0]
      if (!longest) {
        const message = `All ${this.config.maxKernels} kernels of this worker are running code. Try again later.`
        throw new ToolError('overloaded', message, { retryable: true, retryAfterMs: queueRetryAfterMs })
      }
      await longest.retire('evicted')
    }
    this.#starting.add(newcomer)
    return { release: () => this.#starting.delete(newcomer) }
  }

  #takesPlace(kernel: Kernel): boolean {
    return kernel.hasProcess || this.#starting.has(kernel)
  }

  async #closeAll(cause: KillCause): Promise<void> {
    clearInterval(this.#sweep)
    const kernels = [...this.#kernels.values()]
    this.#kernels.clear()
    await Promise.all(kernels.map((kernel) => kernel.close(cause)))
  }

  #endIdle(): void {
    const since = Date.now() - this.config.idleMs
    for (const kernel of this.#kernels.values()) {
      if (kernel.state === 'idle' && kernel.lastUsedAt < since) void kernel.retire('idle')
    }
  }
}

function keyOf({ owner, session }: Agent): string {
  return JSON.stringify([owner, session])
}
