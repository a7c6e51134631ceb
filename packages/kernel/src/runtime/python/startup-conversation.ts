import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { startMs, startupTextBytesMax } from '../../limits.js'
import { boundedText } from '../../output/bounded-text.js'
import { KernelStartError } from '../kernel-start-error.js'
import type { Exit } from '../process-group.js'
import { encodeFrame, FrameDecoder } from './control-frames.js'
import { type FromKernel, parseFromKernel, type ToKernel } from './messages.js'

export { KernelStartError }

/** Hello, attached, ready: everything before the first cell, with one time limit and one explanation of a failure. */
export class StartupConversation {
  readonly #python: string
  readonly #control: Socket
  readonly #decoder = new FrameDecoder()
  readonly #text = boundedText(startupTextBytesMax)
  readonly #failed: Promise<never>
  readonly #timer: NodeJS.Timeout
  readonly #early: FromKernel[] = []
  #onMessage: (message: FromKernel) => void = (message) => this.#early.push(message)
  #onDamage: () => void = () => {}

  constructor(python: string, child: ChildProcess, control: Socket, exit: Promise<Exit>) {
    this.#python = python
    this.#control = control
    child.stderr?.on('data', this.#text.push)
    // Writing to a process that has just died is no failure of its own: the exit tells all.
    for (const stream of child.stdio) stream?.on('error', () => {})
    control.on('data', (chunk: Buffer) => this.#receive(chunk))
    let fail: (error: KernelStartError) => void = () => {}
    this.#failed = new Promise((_, reject) => {
      fail = reject
    })
    this.#failed.catch(() => {})
    this.#timer = setTimeout(
      () => fail(new KernelStartError(`Python did not start within ${startMs / 1000} s.`)),
      startMs,
    )
    exit.then((end) => fail(new KernelStartError(this.#explain(end))))
  }

  send(message: ToKernel): void {
    this.#control.write(encodeFrame(message))
  }

  async expect<Type extends FromKernel['type']>(type: Type): Promise<Extract<FromKernel, { type: Type }>> {
    const message = await Promise.race([this.#next(), this.#failed])
    if (message.type !== type) throw new KernelStartError(`The harness sent "${message.type}" instead of "${type}".`)
    return message as Extract<FromKernel, { type: Type }>
  }

  handOver(onMessage: (message: FromKernel) => void, onDamage: () => void): void {
    clearTimeout(this.#timer)
    this.#onMessage = onMessage
    this.#onDamage = onDamage
  }

  #next(): Promise<FromKernel> {
    const early = this.#early.shift()
    if (early) return Promise.resolve(early)
    return new Promise((resolve) => {
      this.#onMessage = (message) => {
        this.#onMessage = (later) => this.#early.push(later)
        resolve(message)
      }
    })
  }

  #receive(chunk: Buffer): void {
    const { values, broken } = this.#decoder.push(chunk)
    // Code in the kernel can send anything; what nobody has thought of may end this kernel, never the worker with all others.
    const harmed = values.some((value) => !this.#passes(value))
    if (broken || harmed) this.#onDamage()
  }

  #passes(value: unknown): boolean {
    try {
      const message = parseFromKernel(value)
      if (message) this.#onMessage(message)
      return true
    } catch {
      return false
    }
  }

  #explain(end: Exit): string {
    clearTimeout(this.#timer)
    return explainStart(this.#python, end, this.#text.text())
  }
}

/** `text`: what it wrote before it ended. */
export function explainStart(python: string, end: Exit, text: string): string {
  const advice = 'Install CPython 3.9 or newer, or set "python" in section "kernel" of callboard.config.json.'
  if (end.error) return `Python could not be started as "${python}" (${end.error.message}). ${advice}`
  const words = text.trim()
  const how = end.signal ?? `exit code ${end.code}`
  return `Python ("${python}") ended while starting (${how})${words === '' ? '' : `: ${words}`}. ${advice}`
}
