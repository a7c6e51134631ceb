import type { Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { KernelLimits } from '../../config.js'
import { ContainedProcess } from '../../isolation/contained-process.js'
import type { Contained } from '../../isolation/containment.js'
import { ownOutOfMemoryKills } from '../../isolation/control-group.js'
import { Enclosure } from '../../isolation/enclosure.js'
import { tasksFor } from '../../isolation/limits.js'
import { identityOf } from '../../isolation/process-identity.js'
import { processEntry } from '../../isolation/process-table.js'
import { kernelLogBytesMax, launcherLineBytesMax, startMs } from '../../limits.js'
import { HeadAndTail } from '../../output/head-and-tail.js'
import type { Death, KillCause } from '../death.js'
import { drained, readFifo } from '../fifo.js'
import { type Exit, killGroup } from '../process-group.js'
import type { StreamName } from '../runtime.js'

/** Beside `src` and beside `dist` alike. */
const harness = fileURLToPath(new URL('../../../python', import.meta.url))

export interface SpawnOptions {
  readonly command: readonly string[]
  /** What a sandbox must show it, beside the system's own directories. */
  readonly readable: readonly string[]
  readonly environment: { readonly [name: string]: string }
  readonly workingDirectory: string
  /** Of this kernel alone; writable for it, under the same path. */
  readonly directory: string
  /** Runs the launcher, unless `contained` knows the interpreter itself. */
  readonly python: string
  /** For the kernel and its programs together. */
  readonly limits: KernelLimits
  /** Those for each process alone. */
  readonly ownLimits: Partial<KernelLimits>
  readonly contained: Contained
  /** What the process itself writes, beside the protocol. The chunk is valid during the call only. */
  readonly onOutput: (stream: StreamName, chunk: Buffer) => void
  readonly onWarning: ((sentence: string) => void) | undefined
}

/** The process of a Jupyter kernel, in a group of its own, with what it writes to its own stdout and stderr. */
export class SpawnedKernel {
  /** Of the kernel itself, as this machine counts. */
  readonly pid: number
  readonly pidStarted: string | null
  /** Undefined without python3 to run the launcher: then no process is limited by itself. */
  readonly limitsRefused: readonly string[] | undefined
  /** After everything of it was killed and the last output read. */
  readonly ended: Promise<Exit>
  readonly #contained: ContainedProcess
  readonly #enclosure: Enclosure
  readonly #leadsGroup: boolean
  readonly #log: Log
  readonly #killsBefore: number | undefined
  #cause: KillCause | undefined
  #detail: string | undefined
  #over = false

  private constructor(parts: Parts) {
    this.pid = parts.pid
    this.pidStarted = parts.pidStarted
    this.limitsRefused = parts.limitsRefused
    this.#contained = parts.contained
    this.#enclosure = parts.enclosure
    this.#leadsGroup = parts.leadsGroup
    this.#log = parts.log
    this.#killsBefore = parts.killsBefore
    this.#enclosure.onOver = (cause, detail) => this.kill(cause, detail)
    this.ended = endOf(parts).finally(() => {
      this.#over = true
    })
  }

  /** Rejects with the plain Error of a program that could not be started; then no process is left. */
  static async start(options: SpawnOptions): Promise<SpawnedKernel> {
    const python = options.contained.interpreter?.executable ?? options.python
    // Isolated and without site: nothing of the working directory or the user's packages is imported.
    const byPython = [python, '-I', '-S', '-X', 'utf8', join(harness, 'launch.py')] as const
    const first = await launched(options, byPython)
    if (!(first instanceof Error)) return new SpawnedKernel(first)
    const second = await launched(options, ['/bin/sh', '-c', plainLauncher, 'sh', options.directory])
    if (second instanceof Error) throw second
    return new SpawnedKernel(second)
  }

  /** Only the kernel, not the programs that it has started. */
  signal(signal: NodeJS.Signals): void {
    if (this.#over) return
    try {
      process.kill(this.pid, signal)
    } catch {
      // It is just ending.
    }
  }

  signalGroup(signal: NodeJS.Signals): void {
    if (this.#over) return
    if (this.#leadsGroup) killGroup(this.pid, signal)
    else this.signal(signal)
  }

  /** Gives the reason of an end that is on its way; the first one holds. `detail`: what went beyond which limit. */
  condemn(cause: KillCause, detail?: string): void {
    if (this.#cause === undefined) this.#detail = detail
    this.#cause ??= cause
    this.#enclosure.remember()
  }

  kill(cause: KillCause, detail?: string): void {
    this.condemn(cause, detail)
    this.killAll()
  }

  /** The kernel and all that it has started. */
  killAll(): void {
    this.signalGroup('SIGKILL')
    if (!this.#over) this.#contained.killAll()
  }

  /** A cell begins: from now on its programs are watched. */
  busy(): void {
    this.#enclosure.watch.busy()
  }

  idle(): void {
    this.#enclosure.watch.idle()
  }

  /** What is known about its end, once `ended` has resolved. */
  get reason(): Pick<Death, 'cause' | 'detail' | 'outOfMemory'> {
    return {
      outOfMemory: this.#enclosure.outOfMemory(this.#killsBefore),
      ...(this.#cause !== undefined && { cause: this.#cause }),
      ...(this.#detail !== undefined && { detail: this.#detail }),
    }
  }

  /** The last lines that the process itself has written since `forgetLog`. */
  get log(): string {
    return this.#log.text
  }

  forgetLog(): void {
    this.#log.clear()
  }
}

/** Where there is no python3: the same conversation, without limits and without a guardian. */
const plainLauncher = `
directory=$1; shift
read -r options <&3 && mkfifo -m 600 "$directory/stdout" "$directory/stderr" || exit
printf '{"pid":%d}\\n' $$ >&3
read -r go <&3 || exit
exec "$@" >"$directory/stdout" 2>"$directory/stderr" 3<&- 4<&-`

interface Parts {
  readonly contained: ContainedProcess
  readonly enclosure: Enclosure
  readonly pid: number
  readonly pidStarted: string | null
  readonly leadsGroup: boolean
  readonly limitsRefused: readonly string[] | undefined
  readonly killsBefore: number | undefined
  readonly streams: readonly Socket[]
  readonly lifeline: Socket
  readonly log: Log
}

/** An Error if this launcher does not run here; nothing is left of it. */
async function launched(options: SpawnOptions, launcher: readonly [string, ...string[]]): Promise<Parts | Error> {
  const { directory, contained: found, limits, onOutput } = options
  const killsBefore = ownOutOfMemoryKills()
  const log = new Log()
  const contained = new ContainedProcess({
    sandbox: found.sandbox,
    program: {
      argv: [...launcher, ...options.command],
      workingDirectory: options.workingDirectory,
      readable: [...(found.interpreter?.directories ?? []), harness, ...options.readable],
      writable: [directory],
    },
    environment: options.environment,
    // stderr until the FIFOs are attached; then the control socket, and the lifeline that the guardian watches.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const control = contained.child.stdio[3] as Socket
  const lifeline = contained.child.stdio[4] as Socket
  for (const stream of contained.child.stdio) stream?.on('error', () => {})
  contained.child.stderr?.on('data', log.push)
  control.write(`${JSON.stringify(wishesOf(options, contained))}\n`)
  const patience = setTimeout(() => contained.killAll(), startMs)
  const hello = await Promise.race([firstLine(control).then(readHello), contained.exit.then(() => undefined)])
  clearTimeout(patience)
  const pid = hello === undefined ? undefined : await contained.pidOf(hello.pid)
  if (hello === undefined || pid === undefined) {
    contained.killAll()
    const exit = await contained.exit
    for (const socket of [control, lifeline]) socket.destroy()
    return failureOf(launcher[0], exit, log)
  }
  // While the kernel waits for a word: later it may have started programs.
  const enclosure = new Enclosure(contained, pid, { limits, ...onWarningOf(options) }, found.groups)
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    readFifo(join(directory, name), (chunk) => {
      log.push(chunk)
      onOutput(name, chunk)
    }),
  )
  const pidStarted = (await identityOf(pid))?.pidStarted ?? null
  const leadsGroup = (await processEntry(pid))?.group === pid
  control.end('go\n')
  const { limitsRefused } = hello
  return { contained, enclosure, pid, pidStarted, leadsGroup, limitsRefused, killsBefore, streams, lifeline, log }
}

function wishesOf(
  { directory, limits, ownLimits, contained }: SpawnOptions,
  { parentInside, endsAsOne }: ContainedProcess,
) {
  const tasks = contained.sandbox.countsProcesses && { tasks: tasksFor(limits.processes) }
  return { parent: parentInside, directory, tidy: !endsAsOne, limits: { ...ownLimits, ...tasks } }
}

function onWarningOf({ onWarning }: SpawnOptions) {
  return onWarning === undefined ? {} : { onWarning }
}

function failureOf(launcher: string, { error, code, signal }: Exit, log: Log): Error {
  if (error) return error
  const words = log.text.trim()
  return new Error(`${launcher} ended with ${signal ?? `exit code ${code}`}${words === '' ? '' : `: ${words}`}`)
}

const helloSchema = z.object({ pid: z.int().positive(), limitsRefused: z.array(z.string()).optional() })

function readHello(line: string | undefined): z.infer<typeof helloSchema> | undefined {
  try {
    return helloSchema.parse(JSON.parse(line ?? ''))
  } catch {
    return undefined
  }
}

/** Undefined at the end of the stream. */
function firstLine(stream: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (text.includes('\n') || text.length > launcherLineBytesMax) settle(text.split('\n')[0])
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

async function endOf({ contained, enclosure, streams, lifeline }: Parts): Promise<Exit> {
  const end = await contained.exit
  // Programs that cells started, and the guardian.
  await enclosure.clear()
  await drained(streams)
  lifeline.destroy()
  return end
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
