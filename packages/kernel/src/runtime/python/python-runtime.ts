import { randomBytes } from 'node:crypto'
import { ToolError } from '@callboard/worker'
import { markWaitMs, probeMs, requestsPerKernelMax } from '../../limits.js'
import { StreamSplitter } from '../../output/stream-splitter.js'
import { within } from '../../within.js'
import { boundedEnd } from '../bounded-end.js'
import type { Death, KillCause } from '../death.js'
import type { Cell, CellEnd, Isolation, PythonAbilities, Runtime, RuntimeEvents } from '../runtime.js'
import { KernelProcess, type KernelProcessOptions } from './kernel-process.js'
import type { FromKernel } from './messages.js'

export type PythonRuntimeOptions = Pick<
  KernelProcessOptions,
  'python' | 'workingDirectory' | 'limits' | 'containment'
> &
  RuntimeEvents

type Finished = Extract<FromKernel, { type: 'finished' }>
type Cleared = { readonly names: number; readonly kept: readonly string[] }

/** CPython behind the harness in `python/`: one process, its control socket, and its output by FIFOs. */
export class PythonRuntime implements Runtime {
  readonly died: Promise<Death>
  readonly isolation: Isolation
  readonly #process: KernelProcess
  readonly #streams: Streams
  readonly #events: RuntimeEvents
  readonly #answers = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  readonly #requests = new Map<number, AbortController>()
  #askId = 0
  #onFinished: (finished: Finished) => void = () => {}
  #onCleared: (cleared: Cleared) => void = () => {}

  private constructor(process: KernelProcess, streams: Streams, events: RuntimeEvents) {
    this.#process = process
    this.#streams = streams
    this.#events = events
    this.isolation = process.isolation
    this.died = process.died.then((death) => this.#bury(death))
  }

  /** Rejects with a KernelStartError; then no process is left. */
  static async start(options: PythonRuntimeOptions): Promise<PythonRuntime> {
    const outputToken = randomBytes(16).toString('hex')
    const streams = {
      stdout: new StreamSplitter(outputToken, (run, bytes) => options.onOutput(run, 'stdout', bytes)),
      stderr: new StreamSplitter(outputToken, (run, bytes) => options.onOutput(run, 'stderr', bytes)),
    }
    let runtime: PythonRuntime | undefined
    const process = await KernelProcess.start({
      python: options.python,
      workingDirectory: options.workingDirectory,
      limits: options.limits,
      outputToken,
      ...(options.containment !== undefined && { containment: options.containment }),
      onWarning: (sentence) => options.onWarning?.(sentence),
      onMessage: (message) => runtime?.receive(message),
      onOutput: (stream, chunk) => streams[stream].push(chunk),
    })
    runtime = new PythonRuntime(process, streams, options)
    return runtime
  }

  readonly python: PythonAbilities = {
    ask: (method, params, timeoutMs) => this.#ask(method, params, timeoutMs),
    tell: (method, params) => this.#process.send({ type: 'tell', method, params }),
    clear: (level) => this.#clear(level),
  }

  get pid(): number {
    return this.#process.pid
  }

  get pidStarted(): string | null {
    return this.#process.pidStarted
  }

  get description(): string {
    return `python3 ${this.#process.pythonVersion}`
  }

  async execute({ run, code, resultMode }: Cell): Promise<CellEnd> {
    const output = Promise.all([this.#streams.stdout.begin(run), this.#streams.stderr.begin(run)])
    const finished = new Promise<Finished>((resolve) => {
      this.#onFinished = (message) => message.run === run && resolve(message)
    })
    this.#process.busy()
    this.#process.send({ type: 'execute', run, code, resultMode })
    const end = await finished
    this.#process.idle()
    const patience = setTimeout(() => this.#giveUpOutput(), markWaitMs)
    await output
    clearTimeout(patience)
    return boundedEnd(end)
  }

  interrupt(run: number): void {
    this.#process.send({ type: 'interrupt', run })
  }

  interruptGroup(): void {
    this.#process.signalGroup('SIGINT')
  }

  trace(): void {
    this.#process.signal('SIGUSR1')
  }

  /** By the side thread, which needs the interpreter's lock: C code that holds it leaves this unanswered. */
  async probe(): Promise<boolean> {
    try {
      await this.#ask('ping', {}, probeMs)
      return true
    } catch {
      return false
    }
  }

  terminate(cause: KillCause): Promise<Death> {
    return this.#process.terminate(cause).then(() => this.died)
  }

  kill(cause: KillCause): Promise<Death> {
    return this.#process.kill(cause).then(() => this.died)
  }

  /** Called by the process; code in the kernel can write such messages too, and must harm only itself. */
  receive(message: FromKernel): void {
    switch (message.type) {
      case 'finished':
        return this.#onFinished(message)
      case 'cleared':
        return this.#onCleared(message)
      case 'display':
        if (message.run !== null) this.#events.onDisplay(message.run, message)
        return
      case 'answer':
        return this.#settle(message)
      case 'request':
        return this.#pass(message)
      case 'withdraw':
        this.#requests.get(message.id)?.abort()
        this.#requests.delete(message.id)
        return
      case 'notice':
        return this.#events.onNotice(message.method, message.params)
      default:
        return
    }
  }

  #settle({ id, value, error }: Extract<FromKernel, { type: 'answer' }>): void {
    const waiting = this.#answers.get(id)
    this.#answers.delete(id)
    if (error === null) waiting?.resolve(value)
    else waiting?.reject(new ToolError('invalid_argument', error))
  }

  #pass({ id, method, params, run, firing }: Extract<FromKernel, { type: 'request' }>): void {
    if (this.#requests.size >= requestsPerKernelMax || this.#requests.has(id)) {
      const message = `A kernel asks at most ${requestsPerKernelMax} things at once.`
      return this.#process.send({ type: 'reply', id, error: { kind: 'LimitError', message } })
    }
    const withdrawn = new AbortController()
    this.#requests.set(id, withdrawn)
    const reply = (content: { readonly value: unknown } | { readonly error: { kind: string; message: string } }) => {
      if (this.#requests.get(id) !== withdrawn) return
      this.#requests.delete(id)
      this.#process.send({ type: 'reply', id, ...content })
    }
    this.#events.onRequest({
      method,
      params,
      run,
      firing,
      signal: withdrawn.signal,
      resolve: (value) => reply({ value: value ?? null }),
      reject: (kind, message) => reply({ error: { kind, message } }),
    })
  }

  #ask(method: string, params: object, timeoutMs = probeMs): Promise<unknown> {
    const id = ++this.#askId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => fail(unanswered(timeoutMs)), timeoutMs)
      const settled = () => {
        clearTimeout(timer)
        this.#answers.delete(id)
      }
      const fail = (message: string) => {
        settled()
        reject(new ToolError('unavailable', message, { retryable: true }))
      }
      this.#answers.set(id, {
        resolve: (value) => {
          settled()
          resolve(value)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      })
      this.#process.send({ type: 'ask', id, method, params })
    })
  }

  async #clear(level: 'names' | 'modules'): Promise<Cleared | undefined> {
    const cleared = new Promise<Cleared>((resolve) => {
      this.#onCleared = resolve
    })
    this.#process.send({ type: 'reset', level })
    return within(probeMs, Promise.race([cleared, this.died.then(() => undefined)]))
  }

  #giveUpOutput(): void {
    this.#streams.stdout.giveUp()
    this.#streams.stderr.giveUp()
  }

  #bury(death: Death): Death {
    this.#giveUpOutput()
    for (const { reject } of this.#answers.values())
      reject(new ToolError('unavailable', 'The Python process has ended.'))
    for (const asked of this.#requests.values()) asked.abort()
    this.#requests.clear()
    return death
  }
}

interface Streams {
  readonly stdout: StreamSplitter
  readonly stderr: StreamSplitter
}

/** The side thread needs the interpreter's lock for any answer; with a longer patience the answer itself may be slow. */
function unanswered(timeoutMs: number): string {
  const hint = 'Try again later, or stop the run with weave_interrupt.'
  return timeoutMs <= probeMs
    ? `Python did not answer within a second: C code holds the interpreter, or another question keeps it busy. ${hint}`
    : `Python did not answer within ${timeoutMs / 1000} s. ${hint}`
}
