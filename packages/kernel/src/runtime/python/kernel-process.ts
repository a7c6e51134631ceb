import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KernelLimits } from '../../config.js'
import { ContainedProcess } from '../../isolation/contained-process.js'
import { type Contained, type Containment, uncontained } from '../../isolation/containment.js'
import { ownOutOfMemoryKills } from '../../isolation/control-group.js'
import { Enclosure } from '../../isolation/enclosure.js'
import { InterpreterError } from '../../isolation/interpreter.js'
import { tasksFor } from '../../isolation/limits.js'
import { identityOf } from '../../isolation/process-identity.js'
import { type Sandbox, SandboxMissingError } from '../../isolation/sandbox.js'
import { controlBacklogBytesMax, faultsBytesMax, terminateGraceMs } from '../../limits.js'
import { boundedText } from '../../output/bounded-text.js'
import { childEnvironment } from '../child-environment.js'
import type { Death, KillCause } from '../death.js'
import { drained, readFifo } from '../fifo.js'
import { KernelStartError } from '../kernel-start-error.js'
import { killGroup } from '../process-group.js'
import type { Isolation, StreamName } from '../runtime.js'
import { encodeFrame } from './control-frames.js'
import type { FromKernel, ToKernel } from './messages.js'
import { explainStart, StartupConversation } from './startup-conversation.js'

/** The harness lies beside `src` and beside `dist` alike. */
export const harnessDirectory = fileURLToPath(new URL('../../../python', import.meta.url))

export interface KernelProcessOptions {
  readonly python: string
  readonly workingDirectory: string
  readonly limits: KernelLimits
  /** Random; what the harness marks output with. */
  readonly outputToken: string
  /** Absent: none. */
  readonly containment?: Pick<Containment, 'find'>
  /** A sentence for the agent's next reply. */
  readonly onWarning?: (sentence: string) => void
  readonly onMessage: (message: FromKernel) => void
  /** The chunk is valid during the call only. */
  readonly onOutput: (stream: StreamName, chunk: Buffer) => void
}

/**
 * One python3 child with its control socket and FIFOs. Everything of it ends with the process group: `died` resolves
 * exactly once, after the last output, and nothing is called back afterwards.
 */
export class KernelProcess implements AsyncDisposable {
  readonly died: Promise<Death>
  /** Of the interpreter, e.g. `3.11.7`. */
  readonly pythonVersion: string
  readonly pid: number
  /** As the system counts; null when it does not say. */
  readonly pidStarted: string | null
  readonly isolation: Isolation
  readonly #contained: ContainedProcess
  readonly #control: Socket
  readonly #enclosure: Enclosure
  #cause: KillCause | undefined
  #detail: string | undefined
  #dead = false

  private constructor({ contained, control, enclosure, pid, pidStarted, pythonVersion, isolation, died }: Parts) {
    this.#contained = contained
    this.#control = control
    this.#enclosure = enclosure
    this.pid = pid
    this.pidStarted = pidStarted
    this.pythonVersion = pythonVersion
    this.isolation = isolation
    this.died = died.finally(() => {
      this.#dead = true
    })
  }

  /** Resolves when the kernel takes cells. Rejects with a KernelStartError; then no process is left. */
  static async start(options: KernelProcessOptions): Promise<KernelProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-'))
    try {
      return await begin(options, directory, (parts) => new KernelProcess(parts))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

  send(message: ToKernel): void {
    const control = this.#control
    if (control.destroyed || control.write(encodeFrame(message))) return
    if (control.writableLength <= controlBacklogBytesMax || control.isPaused()) return
    // A kernel that asks and does not read the answers must not fill the worker.
    control.pause()
    control.once('drain', () => control.resume())
  }

  /** The whole group: a run may wait for a program that it started. */
  signalGroup(signal: NodeJS.Signals): void {
    if (!this.#dead) killGroup(this.pid, signal)
  }

  /** Only Python, e.g. for the stack traces that SIGUSR1 asks faulthandler for. */
  signal(signal: NodeJS.Signals): void {
    if (this.#dead) return
    try {
      process.kill(this.pid, signal)
    } catch {
      // Just gone.
    }
  }

  /** `detail`: what went beyond which limit, where that is the cause. */
  kill(cause: KillCause, detail?: string): Promise<Death> {
    if (this.#cause === undefined) this.#detail = detail
    this.#cause ??= cause
    this.#enclosure.remember()
    this.#killAll()
    return this.died
  }

  /** A cell begins: from now on its programs are watched. */
  busy(): void {
    this.#enclosure.watch.busy()
  }

  idle(): void {
    this.#enclosure.watch.idle()
  }

  #killAll(): void {
    this.signalGroup('SIGKILL')
    if (!this.#dead) this.#contained.killAll()
  }

  /** SIGTERM, then SIGKILL: ends within a second. */
  async terminate(cause: KillCause): Promise<Death> {
    this.#cause ??= cause
    this.#enclosure.remember()
    this.signalGroup('SIGTERM')
    const timer = setTimeout(() => this.#killAll(), terminateGraceMs)
    try {
      return await this.died
    } finally {
      clearTimeout(timer)
    }
  }

  /** Why this worker ended it, if it did. */
  get reason(): Pick<Death, 'cause' | 'detail'> {
    return {
      ...(this.#cause !== undefined && { cause: this.#cause }),
      ...(this.#detail !== undefined && { detail: this.#detail }),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('stopping')
  }
}

interface Parts {
  readonly contained: ContainedProcess
  readonly control: Socket
  readonly enclosure: Enclosure
  readonly pid: number
  readonly pidStarted: string | null
  readonly pythonVersion: string
  readonly isolation: Isolation
  readonly died: Promise<Death>
}

async function begin(
  options: KernelProcessOptions,
  directory: string,
  make: (parts: Parts) => KernelProcess,
): Promise<KernelProcess> {
  const found = await findContainment(options)
  const killsBefore = ownOutOfMemoryKills()
  const contained = startPython(options, found, directory)
  const { child } = contained
  const control = child.stdio[3] as Socket
  const startup = new StartupConversation(options.python, child, control, contained.exit)
  const streams: Socket[] = []
  try {
    startup.send({
      type: 'start',
      parent: contained.parentInside,
      directory,
      outputToken: options.outputToken,
      limits: {
        ...options.limits,
        ...(found.sandbox.countsProcesses && { tasks: tasksFor(options.limits.processes) }),
      },
    })
    const hello = await startup.expect('hello')
    const pid = await contained.pidOf(hello.pid)
    if (pid === undefined) throw new KernelStartError('Python was not found in its sandbox; it may have ended at once.')
    const enclosure = new Enclosure(contained, pid, options, found.groups)
    const faults = boundedText(faultsBytesMax)
    streams.push(
      readFifo(join(directory, 'stdout'), (chunk) => options.onOutput('stdout', chunk)),
      readFifo(join(directory, 'stderr'), (chunk) => options.onOutput('stderr', chunk)),
      readFifo(join(directory, 'faults'), faults.push),
    )
    startup.send({ type: 'attached' })
    const pidStarted = (await identityOf(pid))?.pidStarted ?? null
    const { limitsRefused } = await startup.expect('ready')
    let kernel: KernelProcess | undefined
    const died = contained.exit.then(async ({ code, signal }) => {
      // Programs that cells started, and the guardian.
      await enclosure.clear()
      await drained(streams)
      control.destroy()
      ;(child.stdio[4] as Socket).destroy()
      const outOfMemory = enclosure.outOfMemory(killsBefore)
      return { code, signal, outOfMemory, faults: faults.text(), ...kernel?.reason }
    })
    enclosure.onOver = (cause, detail) => void kernel?.kill(cause, detail)
    const isolation = isolationOf(found.sandbox, limitsRefused)
    kernel = make({ contained, control, enclosure, pid, pidStarted, pythonVersion: hello.python, isolation, died })
    startup.handOver(options.onMessage, () => void kernel?.kill('protocol'))
    return kernel
  } catch (error) {
    for (const stream of streams) stream.destroy()
    contained.killAll()
    throw error
  }
}

async function findContainment({ python, containment }: KernelProcessOptions): Promise<Contained> {
  if (containment === undefined) return uncontained
  try {
    return await containment.find()
  } catch (error) {
    if (error instanceof SandboxMissingError) throw new KernelStartError(error.message, { cause: error })
    if (error instanceof InterpreterError) throw new KernelStartError(explainStart(python, error.exit, error.text))
    throw error
  }
}

function startPython(
  { python, workingDirectory }: KernelProcessOptions,
  { sandbox, interpreter }: Contained,
  directory: string,
): ContainedProcess {
  return new ContainedProcess({
    sandbox,
    program: {
      argv: [interpreter?.executable ?? python, '-u', '-X', 'utf8', join(harnessDirectory, 'start.py')],
      workingDirectory,
      readable: [...(interpreter?.directories ?? []), harnessDirectory],
      writable: [directory],
    },
    environment: childEnvironment(),
    // stderr until the FIFOs are attached; then the control socket, and the lifeline that the guardian watches.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
}

function isolationOf(sandbox: Sandbox, limitsRefused: readonly string[]): Isolation {
  return { sandbox: sandbox.kind, network: sandbox.network, description: sandbox.description, limitsRefused }
}
