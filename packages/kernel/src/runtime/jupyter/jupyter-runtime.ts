import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { KernelLimits } from '../../config.js'
import type { Containment } from '../../isolation/containment.js'
import {
  jupyterDisplayBytesMax,
  jupyterIdleWaitMaxMs,
  jupyterIdleWaitMs,
  jupyterInterruptableMs,
  jupyterMessageBytesMax,
  jupyterParentsMax,
  jupyterReplyWaitMs,
  probeMs,
  terminateGraceMs,
} from '../../limits.js'
import type { Death, KillCause } from '../death.js'
import type { Cell, CellEnd, Isolation, MimeBundle, Runtime, RuntimeEvents, StreamName } from '../runtime.js'
import type { Channel } from './connection-file.js'
import { type FromJupyter, type KernelInfo, readContent } from './contents.js'
import type { Kernelspec } from './kernelspec.js'
import { runtimeNameOf } from './kernelspecs.js'
import { RunningCell } from './running-cell.js'
import { type StartedKernel, startKernel } from './start-kernel.js'
import type { WireMessage } from './wire.js'

export interface JupyterRuntimeOptions extends RuntimeEvents {
  readonly spec: Kernelspec
  /** The configured interpreter; only to guard the kernel with, which may be in any language. */
  readonly python: string
  readonly workingDirectory: string
  readonly limits: KernelLimits
  /** Absent: none. */
  readonly containment?: Pick<Containment, 'findForOthers'>
}

/** An installed Jupyter kernel: one process, spoken to by Jupyter's messaging protocol. */
export class JupyterRuntime implements Runtime {
  readonly died: Promise<Death>
  readonly description: string
  readonly isolation: Isolation
  readonly #kernel: StartedKernel
  readonly #info: KernelInfo
  readonly #events: RuntimeEvents
  readonly #interruptMode: Kernelspec['interruptMode']
  /** Message id of an execute_request → its run. */
  readonly #parents = new Map<string, number>()
  readonly #probes = new Map<string, () => void>()
  /** A kernel that answers on `control` while it runs a cell; the first answer there tells. */
  #controlAnswers = false
  #active: Active | undefined
  #lastRun = 0
  #dead = false

  private constructor(kernel: StartedKernel, options: JupyterRuntimeOptions) {
    this.#kernel = kernel
    this.#info = kernel.info
    this.#events = options
    this.#interruptMode = options.spec.interruptMode
    const { language, languageVersion } = kernel.info
    this.description = `${runtimeNameOf(options.spec)} (${[language, languageVersion].filter((part) => part).join(' ')})`
    this.isolation = kernel.isolation
    this.died = this.#mourn()
  }

  /** Rejects with a KernelStartError; then no process is left. */
  static async start(options: JupyterRuntimeOptions): Promise<JupyterRuntime> {
    let runtime: JupyterRuntime | undefined
    const kernel = await startKernel({
      ...options,
      onMessage: (channel, message) => runtime?.receive(channel, message),
      onOwnOutput: (stream, chunk) => runtime?.receiveOwn(stream, chunk),
      onLost: (channel) => runtime?.lost(channel),
    })
    runtime = new JupyterRuntime(kernel, options)
    return runtime
  }

  get pid(): number {
    return this.#kernel.process.pid
  }

  get pidStarted(): string | null {
    return this.#kernel.process.pidStarted
  }

  /** Messages that were dropped: unsigned, malformed, or about a request that nobody here has made. */
  get dropped(): number {
    return this.#kernel.connection.faults + this.#strangers
  }

  #strangers = 0

  async execute(cell: Cell): Promise<CellEnd> {
    this.#kernel.process.forgetLog()
    const active = new Active(new RunningCell(cell, this.#valuesAreDisplays))
    this.#active = active
    this.#lastRun = cell.run
    const startedAt = performance.now()
    this.#kernel.process.busy()
    const id = this.#kernel.connection.send('shell', 'execute_request', {
      code: cell.code,
      silent: false,
      store_history: true,
      user_expressions: {},
      allow_stdin: false,
      // There is never a second request in the queue that could be spared, and a kernel that is still sparing when the
      // next one comes would drop it.
      stop_on_error: false,
    })
    this.#remember(id, cell.run)
    await active.ended
    this.#kernel.process.idle()
    const durationS = (performance.now() - startedAt) / 1000
    // What programs wrote to the kernel's own descriptors before it was done lies ready by now.
    for (let turn = 0; turn < 2; turn += 1) await nextTurn()
    this.#active = undefined
    if (!active.cell.isIdle) this.#tell('[The kernel did not say that it is done: some of its output may be missing.]')
    return active.cell.end(active.interruptAsked, durationS)
  }

  /** Waits until the kernel has begun with the cell: earlier, the signal would be lost, or end the kernel. */
  interrupt(run: number): void {
    const active = this.#active
    if (active?.cell.run !== run || active.cell.isReplied) return
    active.interruptAsked = true
    void active.interruptable.then(() => {
      if (active === this.#active && !active.cell.isReplied) this.#interruptNow()
    })
  }

  interruptGroup(): void {
    // A kernel that wants messages may take the signal as its end.
    if (this.#interruptMode === 'message') this.#interruptNow()
    else this.#kernel.process.signalGroup('SIGINT')
  }

  /** No kernel of another make is known to write stack traces. */
  trace(): void {}

  /** On `control` where the kernel answers there (ipykernel does, by a thread of its own); else it must be idle to answer. */
  async probe(): Promise<boolean> {
    const channels = this.#controlAnswers ? (['control'] as const) : (['control', 'shell'] as const)
    try {
      await Promise.any(channels.map((channel) => this.#ask(channel)))
      return true
    } catch {
      return false
    }
  }

  /** Kindly, by SIGTERM, by SIGKILL: over within a second. */
  async terminate(cause: KillCause): Promise<Death> {
    const { connection, process } = this.#kernel
    process.condemn(cause)
    connection.send('control', 'shutdown_request', { restart: false })
    const timers = [
      setTimeout(() => process.signalGroup('SIGTERM'), terminateGraceMs),
      setTimeout(() => process.killAll(), 2 * terminateGraceMs),
    ]
    try {
      return await this.died
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }

  kill(cause: KillCause): Promise<Death> {
    this.#kernel.process.kill(cause)
    return this.died
  }

  /** Called by the connection; code in the kernel can write anything, and must harm only itself. */
  receive(channel: Channel, wire: WireMessage): void {
    if (this.#dead) return
    const message = readContent(wire)
    if (!message) return
    if (message.type === 'input_request') return this.#refuseInput(wire)
    if (message.type === 'kernel_info_reply') return this.#takeInfo(channel, message)
    const run = message.parentId === undefined ? undefined : this.#parents.get(message.parentId)
    if (run === undefined) {
      // Those about our own questions are expected.
      if (message.type !== 'status') this.#strangers += 1
      return
    }
    this.#route(run, message)
  }

  /** What the process itself wrote: IRkernel's `system()`, say. ipykernel sends the same by the protocol. */
  receiveOwn(stream: StreamName, chunk: Buffer): void {
    if (this.#dead || this.#lastRun === 0 || this.#info.implementation === 'ipython') return
    this.#events.onOutput(this.#lastRun, stream, chunk)
  }

  /** Said where the output would be; a lost reply is told by the end of its cell. */
  lost(channel: Channel): void {
    if (channel !== 'iopub') return
    const limit = `${jupyterMessageBytesMax / 1024 / 1024} MiB`
    this.#tell(`[Output was lost here: the kernel sent more than ${limit} at once, which ends the connection.]`)
  }

  get #valuesAreDisplays(): boolean {
    return this.#info.implementation === 'IRkernel'
  }

  #route(run: number, message: FromJupyter): void {
    if (message.type === 'stream') {
      for (const piece of message.pieces) this.#events.onOutput(run, message.name, Buffer.from(piece))
    }
    const active = this.#active?.cell.run === run ? this.#active : undefined
    const shown = active ? active.cell.receive(message) : lateDisplay(message)
    if (shown) this.#show(run, shown)
    active?.progressed()
  }

  #show(run: number, bundle: MimeBundle): void {
    const bytes = Object.values(bundle.data).reduce<number>(
      (sum, value) => sum + (typeof value === 'string' ? value.length : JSON.stringify(value).length),
      0,
    )
    if (bytes <= jupyterDisplayBytesMax) return this.#events.onDisplay(run, bundle)
    this.#tell(`[A display of ${bytes} bytes was left out; at most ${jupyterDisplayBytesMax} are shown.]`)
  }

  #tell(line: string): void {
    if (!this.#dead && this.#lastRun > 0) this.#events.onOutput(this.#lastRun, 'stderr', Buffer.from(`${line}\n`))
  }

  #interruptNow(): void {
    if (this.#interruptMode === 'message') this.#kernel.connection.send('control', 'interrupt_request', {})
    else this.#kernel.process.signal('SIGINT')
  }

  /** IRkernel asks although nobody allowed it to, and then waits for ever. */
  #refuseInput({ header }: WireMessage): void {
    this.#kernel.connection.send('stdin', 'input_reply', { status: 'ok', value: '' }, header)
  }

  #takeInfo(channel: Channel, { parentId }: FromJupyter): void {
    if (channel === 'control') this.#controlAnswers = true
    if (parentId !== undefined) this.#probes.get(parentId)?.()
  }

  async #ask(channel: 'shell' | 'control'): Promise<void> {
    const id = this.#kernel.connection.send(channel, 'kernel_info_request', {})
    let timer: NodeJS.Timeout | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('the kernel does not answer')), probeMs)
        this.#probes.set(id, resolve)
        void this.died.then(() => reject(new Error('the kernel has ended')))
      })
    } finally {
      clearTimeout(timer)
      this.#probes.delete(id)
    }
  }

  #remember(id: string, run: number): void {
    this.#parents.set(id, run)
    if (this.#parents.size > jupyterParentsMax) this.#parents.delete(this.#parents.keys().next().value!)
  }

  async #mourn(): Promise<Death> {
    const { process, connection } = this.#kernel
    const { code, signal } = await process.ended
    await connection.drained()
    this.#dead = true
    await this.#kernel.release()
    return { code, signal, faults: process.log, language: this.#info.language.toLowerCase(), ...process.reason }
  }
}

/** The cell that runs, and when it is over. */
class Active {
  readonly cell: RunningCell
  readonly ended: Promise<void>
  readonly interruptable: Promise<void>
  interruptAsked = false
  #end: () => void = () => {}
  #begin: () => void = () => {}
  #patience: NodeJS.Timeout | undefined
  #halfSince: number | undefined

  constructor(cell: RunningCell) {
    this.cell = cell
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    const begun = new Promise<void>((resolve) => {
      this.#begin = resolve
    })
    this.interruptable = begun.then(() => delay(jupyterInterruptableMs))
  }

  /** After each message. With only one of reply and idle seen, the other may be lost, so it is waited for with a limit. */
  progressed(): void {
    const { isIdle, isReplied, hasStarted } = this.cell
    if (hasStarted) this.#begin()
    if (!isIdle && !isReplied) return
    clearTimeout(this.#patience)
    if (isIdle && isReplied) return this.#end()
    this.#halfSince ??= performance.now()
    const rest = jupyterIdleWaitMaxMs - (performance.now() - this.#halfSince)
    this.#patience = setTimeout(this.#end, Math.max(0, Math.min(isIdle ? jupyterReplyWaitMs : jupyterIdleWaitMs, rest)))
  }
}

/** A display of a run that has ended; its value is told already. */
function lateDisplay(message: FromJupyter): MimeBundle | undefined {
  return message.type === 'display_data' || message.type === 'update_display_data' ? message.bundle : undefined
}
