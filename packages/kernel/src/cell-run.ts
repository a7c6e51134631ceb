import { randomBytes } from 'node:crypto'
import type { Death } from './death.js'
import { InterruptLadder } from './interrupt-ladder.js'
import { displaysMax, markWaitMs } from './limits.js'
import type { LiveKernel } from './live-kernel.js'
import type { Display, Finished, FromKernel } from './messages.js'
import { runMarks } from './run-marks.js'
import type { CapturedText } from './stream-capture.js'

/** Why a run was stopped before its own end. */
export type StopReason = 'timeout' | 'cancelled' | 'reset'

interface CellOutput {
  readonly stdout: CapturedText
  readonly stderr: CapturedText
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly stopped: StopReason | undefined
  readonly displays: readonly Display[]
}

export type CellOutcome =
  | (CellOutput & { readonly kind: 'finished'; readonly finished: Finished })
  | (CellOutput & { readonly kind: 'died'; readonly death: Death })

/** One cell on a live kernel, from `execute` to the last byte of its output. */
export class CellRun {
  readonly #kernel: LiveKernel
  readonly #runId: number
  readonly #ladder: InterruptLadder
  readonly #displays: Display[] = []
  #stopped: StopReason | undefined
  #onFinished: (finished: Finished) => void = () => {}

  constructor(kernel: LiveKernel, runId: number) {
    this.#kernel = kernel
    this.#runId = runId
    this.#ladder = new InterruptLadder(kernel.process, runId)
  }

  /** Settles once, whatever happens to the process. */
  async execute(code: string, timeoutMs: number, signal: AbortSignal): Promise<CellOutcome> {
    const timer = setTimeout(() => this.stop('timeout'), timeoutMs)
    const cancel = () => this.stop('cancelled')
    signal.addEventListener('abort', cancel)
    try {
      const ended = this.#begin(code)
      if (signal.aborted) cancel()
      return await Promise.race([ended, this.#died()])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      this.#ladder.clear()
    }
  }

  /** The first reason stands. */
  stop(reason: StopReason): void {
    this.#stopped ??= reason
    this.#ladder.start()
  }

  receive(message: FromKernel): void {
    if (message.type === 'finished' && message.run === this.#runId) this.#onFinished(message)
    if (message.type === 'display' && message.run === this.#runId && this.#displays.length < displaysMax) {
      this.#displays.push(message)
    }
  }

  async #begin(code: string): Promise<CellOutcome> {
    const { stdout, stderr } = this.#kernel
    const marks = runMarks(randomBytes(16).toString('hex'))
    const output = Promise.all([
      new Promise<void>((resolve) => stdout.begin(marks, resolve)),
      new Promise<void>((resolve) => stderr.begin(marks, resolve)),
    ])
    const finished = new Promise<Finished>((resolve) => {
      this.#onFinished = resolve
    })
    this.#kernel.process.send({ type: 'execute', run: this.#runId, code, beginMark: marks.begin, endMark: marks.end })
    const end = await finished
    this.#ladder.clear()
    await this.#waitForOutput(output)
    return { kind: 'finished', finished: end, ...this.#output() }
  }

  async #waitForOutput(output: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => {
      this.#kernel.stdout.giveUp()
      this.#kernel.stderr.giveUp()
    }, markWaitMs)
    await output
    clearTimeout(timer)
  }

  async #died(): Promise<CellOutcome> {
    const death = await this.#kernel.process.died
    this.#kernel.stdout.giveUp()
    this.#kernel.stderr.giveUp()
    return { kind: 'died', death, ...this.#output() }
  }

  #output(): CellOutput {
    const { stdout, stderr } = this.#kernel
    return {
      stdout: stdout.read(),
      stderr: stderr.read(),
      stdoutBytes: stdout.totalBytes,
      stderrBytes: stderr.totalBytes,
      stopped: this.#stopped,
      displays: this.#displays,
    }
  }
}
