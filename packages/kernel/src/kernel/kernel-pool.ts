import { ToolError } from '@callboard/worker'
import type { KernelConfig } from '../config.js'
import { idleSweepMs, kernelsPerOwnerMax, queueRetryAfterMs } from '../limits.js'
import type { KillCause } from '../runtime/death.js'
import type { Agent } from './agent.js'
import { Kernel } from './kernel.js'
import type { KernelHouse } from './kernel-house.js'
import type { Run } from './run.js'

export type PoolHouse = Omit<KernelHouse, 'admit' | 'config'>

/** All kernels of this worker within one limit: one per agent, and those that an owner has named. */
export class KernelPool implements AsyncDisposable {
  readonly #config: KernelConfig
  readonly #house: KernelHouse
  /** By owner and key. */
  readonly #kernels = new Map<string, Kernel>()
  /** Which agent has which unnamed kernel, by owner and session. A kernel that no agent has waits for the owner's next one. */
  readonly #agents = new Map<string, Kernel>()
  readonly #onGone: (kernel: Kernel) => Promise<unknown>
  readonly #starting = new Set<Kernel>()
  readonly #sweep: NodeJS.Timeout
  #admissions: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  /** `onGone` is told of a kernel that nobody can reach any more. */
  constructor(config: KernelConfig, house: PoolHouse, onGone: (kernel: Kernel) => Promise<unknown>) {
    this.#config = config
    this.#house = { ...house, config, admit: (kernel) => this.#admit(kernel) }
    this.#onGone = onGone
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(idleSweepMs, config.idleMs))
    this.#sweep.unref()
  }

  /** The agent's own kernel, or the owner's of that name; made when absent, without a process yet. */
  kernelOf(agent: Agent, name?: string | null): Kernel {
    const known = this.find(agent, name)
    if (known) return known
    if (this.#closing) throw new ToolError('unavailable', 'This kernel worker is being stopped.', { retryable: true })
    if (typeof name === 'string') return this.#make(agent.owner, `named:${name}`)
    const kernel = this.#make(agent.owner, `session:${agent.session}`)
    this.#agents.set(agentId(agent), kernel)
    return kernel
  }

  /** As {@link kernelOf}, but makes none. An agent that is new takes over what the owner's last one left. */
  find(agent: Agent, name?: string | null): Kernel | undefined {
    if (typeof name === 'string') return this.#kernels.get(id(agent.owner, `named:${name}`))
    const own = this.#agents.get(agentId(agent))
    if (own) return own
    const left = this.#leftBehind(agent.owner)
    if (left) this.#agents.set(agentId(agent), left)
    return left
  }

  /** A run of the owner that lives here, or has ended not long ago. */
  findRun(owner: string, runId: number): { readonly kernel: Kernel; readonly run: Run } | undefined {
    for (const kernel of this.#kernels.values()) {
      const run = kernel.owner === owner ? kernel.findRun(runId) : undefined
      if (run) return { kernel, run }
    }
    return undefined
  }

  /** The agent has gone for good: what it waited for is dropped; its kernel stays for the owner's next agent. */
  async closeSession(session: string): Promise<void> {
    for (const kernel of this.#kernels.values()) kernel.dropSession(session)
    const gone = [...this.#agents].filter(([agent]) => sessionOf(agent) === session)
    for (const [agent] of gone) this.#agents.delete(agent)
    await Promise.all(
      gone.map(([, kernel]) => (kernel.runtime || kernel.state === 'busy' ? undefined : this.#drop(kernel))),
    )
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

  #make(owner: string, key: string): Kernel {
    this.#forgetUnused(owner)
    const kernel = new Kernel(owner, key, this.#house)
    this.#kernels.set(id(owner, key), kernel)
    return kernel
  }

  /** At the limit of an owner, a kernel goes that has no process and no agent of its own: its session is free again. */
  #forgetUnused(owner: string): void {
    const own = [...this.#kernels.values()].filter((kernel) => kernel.owner === owner)
    if (own.length < kernelsPerOwnerMax) return
    const taken = new Set(this.#agents.values())
    const unused = own.filter((kernel) => !kernel.runtime && kernel.state !== 'busy' && !taken.has(kernel))
    const oldest = unused.sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0]
    if (!oldest) throw new ToolError('overloaded', `You have ${own.length} kernels in use, as many as there may be.`)
    // If the store is away, its session stays held until this worker ends.
    this.#drop(oldest).catch(() => {})
  }

  /** The one that was used last. */
  #leftBehind(owner: string): Kernel | undefined {
    const taken = new Set(this.#agents.values())
    return [...this.#kernels.values()]
      .filter((kernel) => kernel.owner === owner && kernel.name === null && !taken.has(kernel))
      .sort((a, b) => b.lastUsedAt - a.lastUsedAt)[0]
  }

  async #drop(kernel: Kernel): Promise<void> {
    this.#kernels.delete(id(kernel.owner, kernel.key))
    await this.#onGone(kernel)
  }

  /** One after the other, so that two newcomers never count on the same place. */
  #admit(newcomer: Kernel): Promise<{ readonly release: () => void }> {
    const admitted = this.#admissions.then(() => this.#makeRoom(newcomer))
    this.#admissions = admitted.catch(() => {})
    return admitted
  }

  /** Beyond the limit, the kernel idle for longest goes. */
  async #makeRoom(newcomer: Kernel): Promise<{ readonly release: () => void }> {
    const { maxKernels } = this.#config
    for (;;) {
      const others = [...this.#kernels.values()].filter((kernel) => kernel !== newcomer && this.#takesPlace(kernel))
      if (others.length < maxKernels) break
      const idle = others.filter((kernel) => kernel.runtime && kernel.state === 'idle')
      const longest = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0]
      if (!longest) {
        const message = `All ${maxKernels} kernels of this worker are running code. Try again later.`
        throw new ToolError('overloaded', message, { retryable: true, retryAfterMs: queueRetryAfterMs })
      }
      await this.#retire(longest, 'evicted')
    }
    this.#starting.add(newcomer)
    return { release: () => this.#starting.delete(newcomer) }
  }

  #takesPlace(kernel: Kernel): boolean {
    return kernel.runtime !== undefined || this.#starting.has(kernel)
  }

  /** Its agent is told with the next reply; where there is none any more, nothing is kept. */
  async #retire(kernel: Kernel, cause: KillCause): Promise<void> {
    await kernel.retire(cause)
    if (kernel.name === null && ![...this.#agents.values()].includes(kernel)) await this.#drop(kernel)
  }

  async #closeAll(cause: KillCause): Promise<void> {
    clearInterval(this.#sweep)
    const kernels = [...this.#kernels.values()]
    this.#kernels.clear()
    this.#agents.clear()
    await Promise.all(kernels.map((kernel) => kernel.close(cause)))
  }

  #endIdle(): void {
    const since = Date.now() - this.#config.idleMs
    for (const kernel of this.#kernels.values()) {
      // A failure of the store only leaves a row that explains less.
      if (kernel.state === 'idle' && kernel.lastUsedAt < since) this.#retire(kernel, 'idle').catch(() => {})
    }
  }
}

function id(owner: string, key: string): string {
  return JSON.stringify([owner, key])
}

function agentId({ owner, session }: Agent): string {
  return id(owner, session)
}

function sessionOf(agent: string): string {
  return (JSON.parse(agent) as [string, string])[1]
}
