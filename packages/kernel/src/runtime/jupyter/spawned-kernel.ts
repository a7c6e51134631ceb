import { type ChildProcess, spawn } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { KernelLimits } from '../../config.js'
import { exitDrainMs, kernelLogBytesMax } from '../../limits.js'
import { HeadAndTail } from '../../output/head-and-tail.js'
import { type Exit, exitOf, killGroup } from '../process-group.js'
import type { Isolation, StreamName } from '../runtime.js'

/** Beside `src` and beside `dist` alike. */
const launcher = fileURLToPath(new URL('../../../python/launch.py', import.meta.url))

export interface SpawnOptions {
  readonly command: readonly string[]
  readonly environment: { readonly [name: string]: string }
  readonly workingDirectory: string
  /** Of this kernel alone. */
  readonly directory: string
  /** Runs the launcher; without it the kernel has no limits and may outlive a worker that is killed. */
  readonly python: string
  readonly limits: Partial<KernelLimits>
  readonly sandbox?: SandboxWrap | undefined
  /** What the process itself writes, beside the protocol. */
  readonly onOutput: (stream: StreamName, chunk: Buffer) => void
}

/** Puts a sandbox around a command line. `directory` must be there and writable inside, under the same path. */
export interface SandboxWrap {
  /** What is true of a process inside. */
  readonly isolation: Omit<Isolation, 'limitsRefused'>
  wrap(command: readonly string[], directory: string): readonly string[]
  /** The kernel's own process, as this machine counts, given that of the command. */
  interpreterOf(pid: number): Promise<number>
}

/** The process of a Jupyter kernel, in a group of its own, with what it writes to its own stdout and stderr. */
export class SpawnedKernel {
  readonly pid: number
  /** Undefined without the launcher: then nothing was limited. */
  readonly limitsRefused: readonly string[] | undefined
  /** After the group was killed and the last output read. */
  readonly ended: Promise<Exit>
  readonly #group: number
  readonly #log: Log
  #over = false

  private constructor(group: number, pid: number, limitsRefused: readonly string[] | undefined, parts: Parts) {
    this.#group = group
    this.pid = pid
    this.limitsRefused = limitsRefused
    this.#log = parts.log
    this.ended = endOf(group, parts).finally(() => {
      this.#over = true
    })
  }

  /** Rejects with the plain Error of a program that could not be started. */
  static async start(options: SpawnOptions): Promise<SpawnedKernel> {
    const log = new Log()
    const onOutput = (stream: StreamName, chunk: Buffer) => {
      log.push(chunk)
      options.onOutput(stream, chunk)
    }
    const { child, parts, limitsRefused } = await launched(options, log, onOutput)
    const group = child.pid!
    try {
      const pid = options.sandbox ? await options.sandbox.interpreterOf(group) : group
      return new SpawnedKernel(group, pid, limitsRefused, parts)
    } catch (error) {
      await endOf(killed(group), parts)
      throw error
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#over) return
    try {
      process.kill(this.pid, signal)
    } catch {
      // It is just ending.
    }
  }

  signalGroup(signal: NodeJS.Signals): void {
    if (!this.#over) killGroup(this.#group, signal)
  }

  /** The last lines that the process itself has written since `forgetLog`. */
  get log(): string {
    return this.#log.text
  }

  forgetLog(): void {
    this.#log.clear()
  }
}

interface Parts {
  readonly exit: Promise<Exit>
  readonly streams: readonly Readable[]
  readonly lifeline: Socket | undefined
  readonly log: Log
}

interface Launched {
  readonly child: ChildProcess
  readonly parts: Parts
  readonly limitsRefused: readonly string[] | undefined
}

type OnOutput = (stream: StreamName, chunk: Buffer) => void

async function launched(options: SpawnOptions, log: Log, onOutput: OnOutput): Promise<Launched> {
  return (await withLauncher(options, log, onOutput)) ?? withoutLauncher(options, log, onOutput)
}

/** Undefined if there is no such python3, or none that runs the launcher. */
async function withLauncher(options: SpawnOptions, log: Log, onOutput: OnOutput): Promise<Launched | undefined> {
  const { directory, limits, sandbox } = options
  const wishes = JSON.stringify({ parent: sandbox ? null : process.pid, limits, directory })
  // Isolated and without site: nothing of the working directory or the user's packages is imported.
  const inner = [options.python, '-I', '-S', '-X', 'utf8', launcher, wishes, ...options.command]
  const child = spawnGroup(sandbox ? sandbox.wrap(inner, directory) : inner, options, [
    'ignore',
    'ignore',
    'pipe',
    'pipe',
    'pipe',
  ])
  const exit = exitOf(child)
  const control = child.stdio[3] as Socket
  const lifeline = child.stdio[4] as Socket
  for (const socket of [control, lifeline]) socket.on('error', () => {})
  child.stderr?.on('data', log.push)
  const line = await Promise.race([firstLine(control), exit.then(() => undefined)])
  if (line === undefined) {
    if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL')
    control.destroy()
    lifeline.destroy()
    return undefined
  }
  const streams = (['stdout', 'stderr'] as const).map((name) => {
    const stream = readFifo(join(directory, name))
    stream.on('data', (chunk: Buffer) => onOutput(name, chunk))
    return stream
  })
  control.end('.')
  const { limitsRefused } = JSON.parse(line) as { readonly limitsRefused: readonly string[] }
  return { child, limitsRefused, parts: { exit, streams, lifeline, log } }
}

async function withoutLauncher(options: SpawnOptions, log: Log, onOutput: OnOutput): Promise<Launched> {
  const { command, directory, sandbox } = options
  const argv = sandbox ? sandbox.wrap(command, directory) : command
  const child = spawnGroup(argv, options, ['ignore', 'pipe', 'pipe'])
  const exit = exitOf(child)
  if (child.pid === undefined) throw (await exit).error ?? new Error(`${argv[0]} could not be started`)
  const streams = [child.stdout!, child.stderr!]
  child.stdout!.on('data', (chunk: Buffer) => onOutput('stdout', chunk))
  child.stderr!.on('data', (chunk: Buffer) => onOutput('stderr', chunk))
  for (const stream of streams) stream.on('error', () => {})
  return { child, limitsRefused: undefined, parts: { exit, streams, lifeline: undefined, log } }
}

function spawnGroup(
  [program, ...parameters]: readonly string[],
  { environment, workingDirectory }: SpawnOptions,
  stdio: ('ignore' | 'pipe')[],
): ChildProcess {
  // A group of its own, so that all that cells start can be ended with it.
  return spawn(program!, parameters, { cwd: workingDirectory, env: environment, detached: true, stdio })
}

/** Undefined at the end of the stream. */
function firstLine(stream: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (text.includes('\n') || text.length > kernelLogBytesMax) settle(text.split('\n')[0])
    }
    const end = () => settle(undefined)
    const settle = (line: string | undefined) => {
      stream.off('data', take)
      stream.off('close', end)
      // Reading on is how the end of the connection is seen.
      stream.resume()
      resolve(line)
    }
    stream.on('data', take)
    stream.on('close', end)
  })
}

function killed(group: number): number {
  killGroup(group, 'SIGKILL')
  return group
}

async function endOf(group: number, { exit, streams, lifeline }: Parts): Promise<Exit> {
  const end = await exit
  // Programs that cells started, and the guardian.
  killGroup(group, 'SIGKILL')
  await drained(streams)
  lifeline?.destroy()
  return end
}

/** Reads what is left; a program that left the group may hold a stream open, so not for ever. */
async function drained(streams: readonly Readable[]): Promise<void> {
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

/** Non-blocking and by the event loop: blocking reads would use up the threads of Node's file system calls. */
function readFifo(path: string): Socket {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const stream = new Socket({ fd: descriptor, readable: true, writable: false })
  stream.on('error', () => stream.destroy())
  return stream
}

/** The beginning and, mostly, the end: the last lines before a death say why. */
class Log {
  #kept = new HeadAndTail(kernelLogBytesMax)

  readonly push = (chunk: Buffer): void => this.#kept.push(chunk)

  get text(): string {
    return this.#kept.read().text
  }

  clear(): void {
    this.#kept = new HeadAndTail(kernelLogBytesMax)
  }
}
