import { stat } from 'node:fs/promises'
import type { KernelLimits } from '../../config.js'
import { startMs } from '../../limits.js'
import { jupyterEnvironment } from '../child-environment.js'
import { KernelStartError } from '../kernel-start-error.js'
import type { Exit } from '../process-group.js'
import type { Isolation, StreamName } from '../runtime.js'
import { Connection } from './connection.js'
import { type Channel, ConnectionFile, type Transport } from './connection-file.js'
import { type KernelInfo, readContent } from './contents.js'
import { Greeting } from './greeting.js'
import { commandOf, environmentOf, type Kernelspec } from './kernelspec.js'
import { runtimeNameOf } from './kernelspecs.js'
import { type SandboxWrap, SpawnedKernel } from './spawned-kernel.js'
import type { WireMessage } from './wire.js'

export interface StartOptions {
  readonly spec: Kernelspec
  readonly python: string
  readonly workingDirectory: string
  readonly limits: KernelLimits
  readonly sandbox?: SandboxWrap
  /** Of the kernel that is started in the end; nothing before. */
  readonly onMessage: (channel: Channel, message: WireMessage) => void
  readonly onOwnOutput: (stream: StreamName, chunk: Buffer) => void
  readonly onLost: (channel: Channel) => void
}

export interface StartedKernel {
  readonly process: SpawnedKernel
  readonly connection: Connection
  readonly info: KernelInfo
  readonly isolation: Isolation
  /** After the end of the process: closes the sockets and removes their directory. */
  release(): Promise<void>
}

/**
 * By Unix sockets in a private directory, which no other user can reach. A kernel that does not know them (it ends, or
 * listens elsewhere) gets a second chance by TCP on the loopback interface. Rejects with a KernelStartError.
 */
export async function startKernel(options: StartOptions): Promise<StartedKernel> {
  const first = await attempt(options, 'ipc')
  if (!(first instanceof Failed)) return first
  if (first.listened || first.missing) throw first.error
  const second = await attempt(options, 'tcp')
  if (second instanceof Failed) throw second.error
  return second
}

/** An attempt that came to nothing; nothing is left of it. */
class Failed {
  readonly error: KernelStartError
  /** The kernel did make its sockets, so another transport would change nothing. */
  readonly listened: boolean
  readonly missing: boolean

  constructor(error: KernelStartError, listened: boolean, missing = false) {
    this.error = error
    this.listened = listened
    this.missing = missing
  }
}

async function attempt(options: StartOptions, transport: Transport): Promise<StartedKernel | Failed> {
  const { spec } = options
  const file = await ConnectionFile.create(transport)
  if (!file) return new Failed(new KernelStartError('The path of the temporary directory is too long.'), false)
  let spawned: SpawnedKernel
  try {
    spawned = await SpawnedKernel.start({
      command: commandOf(spec, file.path),
      environment: environmentOf(spec, jupyterEnvironment()),
      workingDirectory: options.workingDirectory,
      directory: file.directory,
      python: options.python,
      limits: limitsFor(spec, options.limits),
      sandbox: options.sandbox,
      onOutput: options.onOwnOutput,
    })
  } catch (error) {
    await file[Symbol.asyncDispose]()
    return new Failed(startError(spec, `could not be started (${(error as Error).message})`, ''), false, true)
  }
  return await greeted(options, file, spawned)
}

async function greeted(
  options: StartOptions,
  file: ConnectionFile,
  spawned: SpawnedKernel,
): Promise<StartedKernel | Failed> {
  let greeting: Greeting | undefined
  const connection = new Connection(file, {
    received: (channel, message) => {
      const known = readContent(message)
      if (known) greeting?.receive(known)
      options.onMessage(channel, message)
    },
    lost: options.onLost,
  })
  greeting = new Greeting(connection)
  const release = async () => {
    connection.close()
    await file[Symbol.asyncDispose]()
  }
  const info = await answered(greeting, spawned)
  greeting.stop()
  if (typeof info !== 'string') {
    greeting = undefined
    await Promise.all([connection.connected(), file.forgetKey()])
    const isolation = isolationOf(options, spawned, file.transport)
    return { process: spawned, connection, info, isolation, release }
  }
  const listened = file.transport === 'ipc' && (await exists(file.endpoint('shell').slice('ipc://'.length)))
  spawned.signalGroup('SIGKILL')
  await spawned.ended
  await release()
  return new Failed(startError(options.spec, info, spawned.log), listened)
}

/** What the kernel says of itself, or how it failed. */
async function answered(greeting: Greeting, spawned: SpawnedKernel): Promise<KernelInfo | string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`did not answer within ${startMs / 1000} s`), startMs)
  })
  const info = await Promise.race([greeting.done, spawned.ended.then(wayOf), late])
  clearTimeout(timer)
  if (typeof info === 'string' || info.protocolVersion.startsWith('5.')) return info
  return `speaks version ${info.protocolVersion.slice(0, 16)} of the messaging protocol, not 5`
}

function wayOf({ code, signal }: Exit): string {
  return `ended while starting (${signal ?? `exit code ${code}`})`
}

function startError(spec: Kernelspec, problem: string, log: string): KernelStartError {
  const said = log.trim() === '' ? '' : ` It wrote: ${log.trim()}`
  const advice = `Check that it starts by itself: ${spec.argv.slice(0, 3).join(' ')} (kernelspec in ${spec.directory}).`
  return new KernelStartError(`The kernel "${runtimeNameOf(spec)}" ${problem}.${said} ${advice}`)
}

/** Of these it is known that they use little more address space than memory; a JVM or V8 would not even start. */
const limitableLanguages = new Set(['python', 'r'])

function limitsFor(spec: Kernelspec, limits: KernelLimits): Partial<KernelLimits> {
  // Nothing watches over how many processes these have.
  const { memoryBytes, processes: _, ...others } = limits
  return limitableLanguages.has(spec.language.toLowerCase()) ? { memoryBytes, ...others } : others
}

function isolationOf(
  { spec, limits, sandbox }: StartOptions,
  { limitsRefused }: SpawnedKernel,
  transport: Transport,
): Isolation {
  const asked = limitsFor(spec, limits)
  const unasked = Object.keys(limits).filter((name) => !(name in asked))
  const base = sandbox?.isolation ?? noIsolation
  const additions = [
    transport === 'tcp' &&
      'the kernel listens on ports of 127.0.0.1, so other users of this machine can read its output',
    !limitsRefused && 'without a python3 to guard it, it may outlive a worker that is killed',
  ]
  return {
    ...base,
    description: [base.description, ...additions.filter((addition) => addition !== false)].join('; '),
    limitsRefused: [...unasked, ...(limitsRefused ?? Object.keys(asked))],
  }
}

const noIsolation = {
  sandbox: 'none',
  network: true,
  description: 'none: code runs as the user of this worker, with its files and network',
} as const

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
