import { stat } from 'node:fs/promises'
import type { KernelLimits } from '../../config.js'
import { type Contained, type Containment, uncontained } from '../../isolation/containment.js'
import { type Sandbox, SandboxMissingError } from '../../isolation/sandbox.js'
import { startMs } from '../../limits.js'
import { within } from '../../within.js'
import { jupyterEnvironment } from '../child-environment.js'
import { KernelStartError } from '../kernel-start-error.js'
import type { Exit } from '../process-group.js'
import type { Isolation, StreamName } from '../runtime.js'
import { Connection } from './connection.js'
import { type Channel, ConnectionFile, type Transport } from './connection-file.js'
import { type KernelInfo, readContent } from './contents.js'
import { Greeting } from './greeting.js'
import { installationOf } from './installation.js'
import { commandOf, environmentOf, type Kernelspec } from './kernelspec.js'
import { runtimeNameOf } from './kernelspecs.js'
import { SpawnedKernel } from './spawned-kernel.js'
import type { WireMessage } from './wire.js'

export interface StartOptions {
  readonly spec: Kernelspec
  readonly python: string
  readonly workingDirectory: string
  readonly limits: KernelLimits
  /** Absent: none. */
  readonly containment?: Pick<Containment, 'findForOthers'>
  readonly onWarning?: (sentence: string) => void
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
 * listens elsewhere) gets a second chance by TCP on the loopback interface, unless a sandbox has a network of its own.
 * Rejects with a KernelStartError.
 */
export async function startKernel(options: StartOptions): Promise<StartedKernel> {
  const contained = await findContained(options)
  const first = await attempt(options, contained, 'ipc')
  if (!(first instanceof Failed)) return first
  if (first.listened || first.missing || !contained.sandbox.network) throw first.error
  const second = await attempt(options, contained, 'tcp')
  if (second instanceof Failed) throw second.error
  return second
}

async function findContained({ containment }: StartOptions): Promise<Contained> {
  if (containment === undefined) return uncontained
  try {
    return await containment.findForOthers()
  } catch (error) {
    if (error instanceof SandboxMissingError) throw new KernelStartError(error.message, { cause: error })
    throw error
  }
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

async function attempt(
  options: StartOptions,
  contained: Contained,
  transport: Transport,
): Promise<StartedKernel | Failed> {
  const { spec } = options
  const file = await ConnectionFile.create(transport)
  if (!file) return new Failed(new KernelStartError('The path of the temporary directory is too long.'), false)
  let spawned: SpawnedKernel
  try {
    spawned = await spawn(options, contained, file)
  } catch (error) {
    await file[Symbol.asyncDispose]()
    const problem = `could not be started (${(error as Error).message})`
    return new Failed(startError(spec, contained.sandbox, problem, ''), false, true)
  }
  return await greeted(options, contained.sandbox, file, spawned)
}

async function spawn(options: StartOptions, contained: Contained, file: ConnectionFile): Promise<SpawnedKernel> {
  const { spec, python, workingDirectory, limits, onOwnOutput, onWarning } = options
  const hidden = contained.sandbox.kind === 'bubblewrap'
  const environment = environmentOf(spec, { ...jupyterEnvironment(), ...(hidden && homeless) })
  const [name, ...parameters] = commandOf(spec, file.path)
  const installation = hidden ? await installationOf(spec, environment) : undefined
  return await SpawnedKernel.start({
    command: [installation?.program ?? name!, ...parameters],
    readable: installation?.readable ?? [],
    environment,
    workingDirectory,
    directory: file.directory,
    python,
    limits,
    ownLimits: limitsFor(spec, limits),
    contained,
    onOutput: onOwnOutput,
    onWarning,
  })
}

/** Where IPython keeps its history and profile when the home is empty, whoever's it is and whether or not it is there. */
const homeless = { IPYTHONDIR: '/tmp/.ipython' }

async function greeted(
  options: StartOptions,
  sandbox: Sandbox,
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
    const isolation = isolationOf(options, sandbox, spawned, file.transport)
    return { process: spawned, connection, info, isolation, release }
  }
  const listened = file.transport === 'ipc' && (await exists(file.endpoint('shell').slice('ipc://'.length)))
  spawned.killAll()
  await spawned.ended
  await release()
  return new Failed(startError(options.spec, sandbox, info, spawned.log), listened)
}

/** What the kernel says of itself, or how it failed. */
async function answered(greeting: Greeting, spawned: SpawnedKernel): Promise<KernelInfo | string> {
  const info = await within(startMs, Promise.race([greeting.done, spawned.ended.then(wayOf)]))
  if (info === undefined) return `did not answer within ${startMs / 1000} s`
  if (typeof info === 'string' || info.protocolVersion.startsWith('5.')) return info
  return `speaks version ${info.protocolVersion.slice(0, 16)} of the messaging protocol, not 5`
}

function wayOf({ code, signal }: Exit): string {
  return `ended while starting (${signal ?? `exit code ${code}`})`
}

function startError(spec: Kernelspec, sandbox: Sandbox, problem: string, log: string): KernelStartError {
  const said = log.trim() === '' ? '' : ` It wrote: ${log.trim()}`
  const advice = `Check that it starts by itself: ${spec.argv.slice(0, 3).join(' ')} (kernelspec in ${spec.directory}).`
  const text = [`The kernel "${runtimeNameOf(spec)}" ${problem}.${said} ${advice}`, ...hintsOf(sandbox)].join(' ')
  return new KernelStartError(text)
}

function hintsOf(sandbox: Sandbox): readonly string[] {
  if (sandbox.kind === 'none') return []
  const network = sandbox.network
    ? ''
    : ' A kernel that knows only TCP needs "sandboxNetwork": true: without network it can be reached by Unix sockets only.'
  return [
    `It may be the sandbox, which hides homes and temporary files: name the directories that the kernel needs in "sandboxPaths": {"readable": [...]} in section "kernel" of callboard.config.json.${network}`,
  ]
}

/** Of these it is known that they use little more address space than memory; a JVM or V8 would not even start. */
const limitableLanguages = new Set(['python', 'r'])

/** How many processes there are is limited for all of them together. */
function limitsFor(spec: Kernelspec, limits: KernelLimits): Partial<KernelLimits> {
  const { memoryBytes, processes: _, ...others } = limits
  return limitableLanguages.has(spec.language.toLowerCase()) ? { memoryBytes, ...others } : others
}

function isolationOf(
  { spec, limits }: StartOptions,
  { kind, network, description }: Sandbox,
  { limitsRefused }: SpawnedKernel,
  transport: Transport,
): Isolation {
  const asked = limitsFor(spec, limits)
  const additions = [
    transport === 'tcp' &&
      'the kernel listens on ports of 127.0.0.1, so other users of this machine can read its output',
    asked.memoryBytes === undefined && 'its memory is limited only together with that of its programs',
    limitsRefused === undefined &&
      kind === 'none' &&
      'without a python3 to guard it, it may outlive a worker that is killed',
  ]
  return {
    sandbox: kind,
    network,
    description: [description, ...additions.filter((addition) => addition !== false)].join('; '),
    limitsRefused: [
      ...(asked.memoryBytes === undefined ? ['memoryBytes'] : []),
      ...(limitsRefused ?? Object.keys(asked)),
    ],
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
