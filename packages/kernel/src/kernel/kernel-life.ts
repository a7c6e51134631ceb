import { ToolError } from '@callboard/worker'
import { noticesKeptMax, pythonRuntimeName } from '../limits.js'
import { type Death, explainDeath, isOwnFault, type KillCause } from '../runtime/death.js'
import type { Runtime, RuntimeEvents } from '../runtime/runtime.js'
import { plainRuntimeName } from '../runtime/runtime-name.js'
import { DeathToll } from './death-toll.js'
import type { Kernel } from './kernel.js'
import type { KernelHouse } from './kernel-house.js'

/** One process of a kernel, from its start to its death. */
export interface Life {
  readonly runtime: Runtime
  readonly epoch: number
  /** How many cells it has taken. */
  runs: number
}

/** The processes of one kernel, one after the other, and what the agent is told about the change. */
export class KernelLife {
  readonly #kernel: Kernel
  readonly #house: KernelHouse
  readonly #events: RuntimeEvents
  readonly #toll = new DeathToll()
  #current: Life | undefined
  #ending: Promise<unknown> | undefined
  /** The row of the last process that ended. */
  #recorded: Promise<void> = Promise.resolve()
  #notices: string[] = []
  #droppedNotices = 0
  #lastDeath: string | undefined
  #runtimeName: string | undefined
  #closed = false
  /** Whether this object has had a process: before, the store knows of earlier ones. */
  #known = false

  constructor(kernel: Kernel, house: KernelHouse, events: RuntimeEvents) {
    this.#kernel = kernel
    this.#house = house
    this.#events = events
  }

  get current(): Life | undefined {
    return this.#current
  }

  get lastDeath(): string | undefined {
    return this.#lastDeath
  }

  get runtimeName(): string | undefined {
    return this.#runtimeName
  }

  /** The process, started if there is none. Throws a ToolError. */
  async ensure(runtimeName: string | undefined): Promise<Life> {
    this.checkRuntime(runtimeName)
    if (this.#current && !this.#differs(runtimeName)) return this.#current
    await this.end('reset')
    this.#refuseWhenClosed()
    this.#refuseAfterManyDeaths()
    await this.#ending
    const place = await this.#house.admit(this.#kernel)
    try {
      return await this.#start(plainRuntimeName(runtimeName ?? this.#runtimeName ?? pythonRuntimeName))
    } finally {
      place.release()
    }
  }

  /** A kernel has one runtime, that of its first eval; after a reset another eval is the first. */
  checkRuntime(name: string | undefined): void {
    if (!this.#differs(name) || this.#current?.runs === 0) return
    const remedy = 'Leave runtime out, name another kernel, or change it after weave_reset.'
    throw new ToolError('invalid_argument', `This kernel runs ${this.#runtimeName}, not ${name}. ${remedy}`)
  }

  /** Ends the process, if there is one; the next eval starts another. */
  async end(cause: KillCause): Promise<void> {
    const life = this.#current
    if (!life) return
    // At once, so that no run starts on a process that is about to end.
    this.#current = undefined
    this.#ending = life.runtime.terminate(cause)
    await this.#ending
  }

  /** After a reset the next eval may choose another. */
  forgetRuntime(): void {
    this.#runtimeName = undefined
  }

  /** For good: a process that is on its way ends as soon as it is there. */
  close(): void {
    this.#closed = true
  }

  get isClosed(): boolean {
    return this.#closed
  }

  recorded(): Promise<void> {
    return this.#recorded
  }

  /** The newest are kept: rules may go on for days while nobody asks. */
  notice(text: string): void {
    this.#notices.push(text)
    if (this.#notices.length <= noticesKeptMax) return
    this.#notices.shift()
    this.#droppedNotices += 1
  }

  get notices(): readonly string[] {
    if (this.#droppedNotices === 0) return this.#notices
    return [`${this.#droppedNotices} earlier notices were dropped.`, ...this.#notices]
  }

  takeNotices(): string[] {
    const taken = [...this.notices]
    this.#notices = []
    this.#droppedNotices = 0
    return taken
  }

  async #start(name: string): Promise<Life> {
    const { owner, key } = this.#kernel
    await this.#refuseElsewhere()
    const before = this.#known ? undefined : await this.#house.kernels.last(owner, key)
    if (before) {
      const reason = before.reason ?? 'the kernel worker was restarted.'
      this.notice(`Variables lost: epoch ${before.epoch} of this kernel has ended. ${reason}`)
    }
    const runtime = await this.#house.startRuntime(this.#kernel, name, {
      ...this.#events,
      onWarning: (sentence) => this.notice(sentence),
    })
    let epoch: number
    try {
      const pid = { pid: runtime.pid, pidStarted: runtime.pidStarted }
      epoch = await this.#house.kernels.begin({ owner, kernel: key, runtime: name, ...pid })
    } catch (error) {
      await runtime.kill('stopping')
      throw error
    }
    const life: Life = { runtime, epoch, runs: 0 }
    this.#known = true
    this.#runtimeName = name
    this.#current = life
    void runtime.died.then((death) => this.#mourn(life, death))
    if (this.#closed) {
      await this.end('session_closed')
      this.#refuseWhenClosed()
    }
    this.#house.listener.started(this.#kernel, runtime)
    return life
  }

  #mourn(life: Life, death: Death): void {
    if (this.#current === life) this.#current = undefined
    const reason = explainDeath(death)
    this.#lastDeath = reason
    if (life.runs > 0) this.notice(`Variables lost: epoch ${life.epoch} of this kernel has ended. ${reason}`)
    if (isOwnFault(death)) this.#toll.add(Date.now())
    this.#house.listener.ended(this.#kernel)
    this.#recorded = this.#house.kernels.end(this.#kernel.owner, life.epoch, death, reason).catch(() => {
      // The store is closed or away; the row only explains, nothing depends on it.
    })
  }

  #differs(name: string | undefined): boolean {
    return name !== undefined && this.#runtimeName !== undefined && plainRuntimeName(name) !== this.#runtimeName
  }

  /** A named kernel lives in one instance of the worker. */
  async #refuseElsewhere(): Promise<void> {
    const { owner, key, name } = this.#kernel
    if (name === null || !(await this.#house.kernels.elsewhere(owner, key))) return
    const message = `The kernel "${name}" lives in another instance of this worker, which does not answer here. Try again later.`
    throw new ToolError('unavailable', message, { retryable: true })
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new ToolError('unavailable', 'This kernel worker is being stopped.', { retryable: true })
  }

  #refuseAfterManyDeaths(): void {
    const retryAfterMs = this.#toll.restMs(Date.now())
    if (retryAfterMs === 0) return
    const message = `This kernel died again and again within a minute, so it rests. Last: ${this.#lastDeath}`
    throw new ToolError('kernel_start_failed', message, { retryable: true, retryAfterMs })
  }
}
