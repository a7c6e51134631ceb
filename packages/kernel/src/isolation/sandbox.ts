import { homedir, tmpdir } from 'node:os'
import type { SandboxConfig } from '../config.js'
import { bubblewrapArguments } from './bubblewrap-arguments.js'
import { isDirectory, isWithin, outermost, realPath } from './paths.js'
import { findSandbox, type Trial } from './sandbox-trial.js'

/** What is to run, and what it needs. Paths are absolute. */
export interface Program {
  readonly argv: readonly [string, ...string[]]
  readonly workingDirectory: string
  /** Beside the system's own directories, e.g. the prefix of an interpreter that lies in somebody's home. */
  readonly readable?: readonly string[]
  /** Beside the working directory. */
  readonly writable?: readonly string[]
}

/** What to spawn instead. */
export interface WrappedProgram {
  readonly command: string
  readonly args: readonly string[]
  /** On top of the program's own environment. */
  readonly environment: { readonly [name: string]: string }
}

export interface SandboxOptions {
  readonly config: SandboxConfig
  /** Directories and files that no program inside may see: data, runtime directory, secrets, configuration. */
  readonly maskedPaths: readonly string[]
  /** Run once inside, to see whether the sandbox works at all. */
  readonly trial: Omit<Program, 'workingDirectory'>
}

/** `sandbox` is `required` and there is none. */
export class SandboxMissingError extends Error {
  override readonly name = 'SandboxMissingError'
}

/** What stands between programs and this machine: bubblewrap where it works, else nothing, truthfully so. */
export class Sandbox {
  readonly kind: 'bubblewrap' | 'none'
  readonly network: boolean
  /** For agents and operators, e.g. `bubblewrap 0.8.0: …` or `none (bwrap is not installed): …`. */
  readonly description: string
  /** Whether a limit of processes per user counts the programs of one sandbox only. */
  readonly countsProcesses: boolean
  readonly #options: SandboxOptions
  readonly #trial: Trial

  private constructor(options: SandboxOptions, trial: Trial) {
    const { network } = options.config
    this.#options = options
    this.#trial = trial
    this.kind = trial.works ? 'bubblewrap' : 'none'
    this.network = network || !trial.works
    this.countsProcesses = trial.works && trial.countsProcesses
    this.description = trial.works
      ? `bubblewrap ${trial.version}: own processes, home, /tmp and working directory, the rest of the system read-only, ${network ? 'with network' : 'no network'}`
      : `none (${trial.reason}): code runs as the user of this worker, with its files and network`
  }

  /** Rejects with a SandboxMissingError where one is required. */
  static async open(options: SandboxOptions): Promise<Sandbox> {
    const { mode } = options.config
    if (mode === 'off') return new Sandbox(options, { works: false, reason: 'turned off' })
    const trial = await findSandbox((withoutNamespaces) => {
      const program = { ...options.trial, workingDirectory: '/' }
      return [...argumentsFor(program, options, withoutNamespaces, 1), ...program.argv]
    })
    if (!trial.works && mode === 'required') {
      throw new SandboxMissingError(`A sandbox is required and there is none: ${trial.reason}. ${remedy}`)
    }
    return new Sandbox(options, trial)
  }

  static readonly none = new Sandbox(
    {
      config: { mode: 'off', network: true, readable: [], writable: [] },
      maskedPaths: [],
      trial: { argv: ['true'] },
    },
    { works: false, reason: 'turned off' },
  )

  /**
   * `infoDescriptor`: a pipe of the spawned process, to which bubblewrap writes `{"child-pid": …}`: its init, whose end is
   * the end of all programs inside.
   */
  wrap(program: Program, infoDescriptor: number): WrappedProgram {
    const trial = this.#trial
    if (!trial.works) return { command: program.argv[0], args: program.argv.slice(1), environment: {} }
    const args = argumentsFor(program, this.#options, trial.withoutNamespaces, infoDescriptor)
    // The home is empty with each start; what would be costly to make again stays with the working directory.
    const caches = { MPLCONFIGDIR: `${program.workingDirectory}/.cache/matplotlib`, TMPDIR: '/tmp' }
    return { command: trial.bwrap, args: [...args, ...program.argv], environment: caches }
  }
}

const remedy =
  'Install bubblewrap (the program bwrap) and allow user namespaces, or set "sandbox" in section "kernel" of callboard.config.json to "auto" or "off".'

/** Homes, sockets of the desktop and of services, other programs' temporary files. */
const emptied = ['/home', '/root', '/tmp', '/var/tmp', '/run']

/** Readable by root only, and so by whatever root's worker starts. */
const rootsSecrets = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/krb5.keytab',
]

/** Where the resolver's configuration lies on systems whose /etc/resolv.conf is a link. */
const resolvers = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf']

function argumentsFor(
  program: Omit<Program, 'argv'>,
  { config, maskedPaths }: SandboxOptions,
  withoutNamespaces: boolean,
  infoDescriptor: number,
): string[] {
  const home = realPath(homedir())
  const wholes = outermost(existing([...emptied, homedir(), tmpdir()]).filter((path) => path !== '/'))
  const isRoot = process.getuid?.() === 0
  const masked = outermost(existing([...maskedPaths, ...(isRoot ? rootsSecrets : [])]).filter((path) => path !== '/'))
  const workingDirectory = realPath(program.workingDirectory) ?? program.workingDirectory
  const system = workingDirectory === '/'
  const hidden = (path: string) => wholes.some((whole) => isWithin(path, whole))
  // Not what holds a whole home or all temporary files: a search path that names it is no wish to show its secrets.
  const narrow = (path: string) => ![...wholes, home].some((whole) => whole !== undefined && isWithin(whole, path))
  const isNarrow = (path: string) => narrow(path) && narrow(realPath(path) ?? path)
  return bubblewrapArguments({
    emptied: wholes,
    made: home !== undefined && home !== '/' && hidden(home) ? [home] : [],
    readable: [
      // One that is too wide must not take the place of those in it.
      ...shown([...(config.network ? resolvers : []), ...(program.readable ?? []).filter(isNarrow)]).filter(
        ({ from, at }) => hidden(at) || hidden(from),
      ),
      ...shown(config.readable),
    ],
    writable: existing(config.writable),
    maskedDirectories: masked.filter(isDirectory),
    maskedFiles: masked.filter((path) => !isDirectory(path)),
    owned: existing([...(system ? [] : [workingDirectory]), ...(program.writable ?? [])]),
    workingDirectory,
    network: config.network,
    asNobody: isRoot,
    withoutNamespaces,
    infoDescriptor,
  })
}

function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => realPath(path) ?? []))]
}

interface Shown {
  readonly from: string
  readonly at: string
}

/** Under the name that was asked for and under its real one: links inside an emptied directory are gone. */
function shown(paths: readonly string[]): readonly Shown[] {
  const all = paths.flatMap((path): readonly Shown[] => {
    const from = realPath(path)
    if (from === undefined) return []
    return from === path
      ? [{ from, at: path }]
      : [
          { from, at: from },
          { from, at: path },
        ]
  })
  const places = outermost(all.map(({ at }) => at))
  return places.flatMap((place) => all.find(({ at }) => at === place) ?? [])
}
