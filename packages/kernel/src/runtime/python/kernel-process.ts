import { type ChildProcess, spawn } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KernelLimits } from '../../config.js'
import { exitDrainMs, faultsBytesMax, fifoReadBytes, terminateGraceMs } from '../../limits.js'
import { boundedText } from '../../output/bounded-text.js'
import { childEnvironment } from '../child-environment.js'
import { type Death, type KillCause, outOfMemoryKills } from '../death.js'
import { type Exit, exitOf, killGroup } from '../process-group.js'
import type { Isolation, StreamName } from '../runtime.js'
import { encodeFrame } from './control-frames.js'
import type { FromKernel, ToKernel } from './messages.js'
import { StartupConversation } from './startup-conversation.js'

/** The harness lies beside `src` and beside `dist` alike. */
const harness = fileURLToPath(new URL('../../../python/start.py', import.meta.url))

export interface KernelProcessOptions {
  readonly python: string
  readonly workingDirectory: string
  readonly limits: KernelLimits
  /** Random; what the harness marks output with. */
  readonly outputToken: string
  readonly onMessage: (message: FromKernel) => void
  /** The chunk is valid during the call only. */
  readonly onOutput: (stream: StreamName, chunk: Buffer) => void
}

const noIsolation = {
  sandbox: 'none',
  network: true,
  description: 'none: code runs as the user of this worker, with its files and network',
} as const

/**
 * One python3 child with its control socket and FIFOs. Everything of it ends with the process group: `died` resolves
 * exactly once, after the last output, and nothing is called back afterwards.
 */
export class KernelProcess implements AsyncDisposable {
  readonly died: Promise<Death>
  /** Of the interpreter, e.g. `3.11.7`. */
  readonly pythonVersion: string
  readonly pid: number
  readonly isolation: Isolation
  readonly #child: ChildProcess
  readonly #control: Socket
  #cause: KillCause | undefined
  #dead = false

  private constructor(
    child: ChildProcess,
    control: Socket,
    pythonVersion: string,
    limitsRefused: readonly string[],
    died: Promise<Death>,
  ) {
    this.#child = child
    this.#control = control
    this.pid = child.pid!
    this.pythonVersion = pythonVersion
    this.isolation = { ...noIsolation, limitsRefused }
    this.died = died.finally(() => {
      this.#dead = true
    })
  }

  /** Resolves when the kernel takes cells. Rejects with a KernelStartError; then no process is left. */
  static async start(options: KernelProcessOptions): Promise<KernelProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-'))
    try {
      return await begin(options, directory, (...parts) => new KernelProcess(...parts))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

  send(message: ToKernel): void {
    if (!this.#control.destroyed) this.#control.write(encodeFrame(message))
  }

  /** The whole group: a run may wait for a program that it started. */
  signalGroup(signal: NodeJS.Signals): void {
    if (!this.#dead) killGroup(this.pid, signal)
  }

  /** Only Python, e.g. for the stack traces that SIGUSR1 asks faulthandler for. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  kill(cause: KillCause): Promise<Death> {
    this.#cause ??= cause
    this.signalGroup('SIGKILL')
    return this.died
  }

  /** SIGTERM, then SIGKILL: ends within a second. */
  async terminate(cause: KillCause): Promise<Death> {
    this.#cause ??= cause
    this.signalGroup('SIGTERM')
    const timer = setTimeout(() => this.signalGroup('SIGKILL'), terminateGraceMs)
    try {
      return await this.died
    } finally {
      clearTimeout(timer)
    }
  }

  get cause(): KillCause | undefined {
    return this.#cause
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('stopping')
  }
}

type Make = (
  child: ChildProcess,
  control: Socket,
  pythonVersion: string,
  limitsRefused: readonly string[],
  died: Promise<Death>,
) => KernelProcess

async function begin(options: KernelProcessOptions, directory: string, make: Make): Promise<KernelProcess> {
  const killsBefore = outOfMemoryKills()
  const child = spawn(options.python, ['-u', '-X', 'utf8', harness], {
    cwd: options.workingDirectory,
    env: childEnvironment(),
    // A group of its own, so that all that cells start can be ended with it.
    detached: true,
    // stderr until the FIFOs are attached; then the control socket, and the lifeline that the guardian watches.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const control = child.stdio[3] as Socket
  const exit = exitOf(child)
  const startup = new StartupConversation(options.python, child, control, exit)
  const streams: Socket[] = []
  try {
    startup.send({
      type: 'start',
      parent: process.pid,
      directory,
      limits: options.limits,
      outputToken: options.outputToken,
    })
    const hello = await startup.expect('hello')
    const faults = boundedText(faultsBytesMax)
    streams.push(
      readFifo(join(directory, 'stdout'), (chunk) => options.onOutput('stdout', chunk)),
      readFifo(join(directory, 'stderr'), (chunk) => options.onOutput('stderr', chunk)),
      readFifo(join(directory, 'faults'), faults.push),
    )
    startup.send({ type: 'attached' })
    const { limitsRefused } = await startup.expect('ready')
    let kernel: KernelProcess | undefined
    const died = deathOf(
      exit,
      streams,
      async () => {
        const [before, after] = await Promise.all([killsBefore, outOfMemoryKills()])
        control.destroy()
        ;(child.stdio[4] as Socket).destroy()
        return {
          outOfMemory: (after ?? 0) > (before ?? 0),
          faults: faults.text(),
          ...(kernel?.cause && { cause: kernel.cause }),
        }
      },
      child.pid!,
    )
    kernel = make(child, control, hello.python, limitsRefused, died)
    const damaged = () => void kernel?.kill('protocol')
    startup.handOver(options.onMessage, damaged)
    return kernel
  } catch (error) {
    for (const stream of streams) stream.destroy()
    if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL')
    throw error
  }
}

async function deathOf(
  exit: Promise<Exit>,
  streams: readonly Socket[],
  details: () => Promise<Omit<Death, 'code' | 'signal'>>,
  group: number,
): Promise<Death> {
  const { code, signal } = await exit
  // Programs that cells started, and the guardian.
  killGroup(group, 'SIGKILL')
  await drained(streams)
  return { code, signal, ...(await details()) }
}

/** Reads what is left; a program that left the group may hold a FIFO open, so not for ever. */
async function drained(streams: readonly Socket[]): Promise<void> {
  const closed = streams.map((stream) =>
    stream.destroyed ? undefined : new Promise((resolve) => stream.once('close', resolve)),
  )
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, exitDrainMs)
  })
  await Promise.race([Promise.all(closed), patience])
  clearTimeout(timer)
  for (const stream of streams) stream.destroy()
}

/**
 * Non-blocking and by the event loop: blocking reads would use up the threads of Node's file system calls. Into one buffer,
 * valid during the call only: a new one for each chunk would let the worker grow by tens of megabytes before they are freed.
 */
function readFifo(path: string, onChunk: (chunk: Buffer) => void): Socket {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const buffer = Buffer.allocUnsafeSlow(fifoReadBytes)
  const onread: OnReadOpts = {
    buffer,
    callback: (length) => {
      onChunk(buffer.subarray(0, length))
      return true
    },
  }
  // Documented for sockets of any kind, but not in the types.
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
    fd: descriptor,
    readable: true,
    writable: false,
    onread,
  }
  const stream = new Socket(options)
  stream.resume()
  stream.on('error', () => stream.destroy())
  return stream
}
