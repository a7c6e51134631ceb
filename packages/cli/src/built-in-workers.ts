import type { SectionLayers, SettledSection } from '@callboard/forum/config'
import { didYouMean } from '@callboard/protocol/nearest-name'
import type { Worker } from '@callboard/worker'
import type { Variables } from './environment.js'
import type { SectionKey } from './section-overrides.js'
import { UsageError } from './usage-error.js'
import type { WorkerFlag } from './worker-flags.js'

export interface WorkerSettings {
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** Where programs that a worker starts for agents find the hub. */
  readonly runtimeDirectory: string
  /** The same over HTTP, where the hub listens there. */
  readonly hubUrl?: string
  /** Every variable of this process, for keys that a configuration names, and what it lets programs have. */
  readonly variables: Variables
  /** What programs that a worker starts for agents must not see, beside the data directory. */
  readonly maskedPaths: readonly string[]
  /** The worker's section from all its sources, unread. */
  readonly config: unknown
  /** What was found out while it was put together, for the worker's log; sentences. */
  readonly warnings: readonly string[]
}

export interface BuiltInWorker {
  readonly worker: Pick<Worker, 'onConnection'>
  /** Resolves when drained, or with why the hub refused it for good. */
  run(options: { readonly signal: AbortSignal; readonly secret?: string }): Promise<Error | undefined>
}

type Entry = EntryBase &
  (
    | {
        /** What is wrong with its section: sentences that begin with the key. */
        readonly checkConfig: (section: unknown, home: string | undefined) => Promise<readonly string[]>
        readonly settle?: undefined
      }
    | {
        /** For a section with more sources than file and variables: puts them together, and finds what is wrong. */
        readonly settle: (layers: SectionLayers, home: string | undefined) => Promise<SettledSection>
        readonly checkConfig?: undefined
      }
  )

interface EntryBase {
  /** Loads the worker's package, which nobody else needs. */
  readonly create: (settings: WorkerSettings) => Promise<BuiltInWorker>
  /** Of its section, for variables that override them. */
  readonly configKeys: () => Promise<readonly SectionKey[]>
  /** Whether its keys may be given by variables of their own names, without a prefix. */
  readonly takesBareNames?: boolean
  /** How variables of another program begin that may give its keys of the same names. */
  readonly otherPrefix?: string
  /** Flags of `callboard worker` that give its keys. */
  readonly flags?: () => Promise<{ readonly flags: readonly WorkerFlag[]; readonly examples: readonly string[] }>
  /** A program that must be there, from the worker's section. */
  readonly program?: (section: unknown) => { readonly name: string; readonly remedy: string }
}

const builtInWorkers: Readonly<Record<string, Entry>> = {
  kernel: {
    create: async (settings) => (await import('@callboard/kernel')).createKernelWorker(settings),
    configKeys: async () => (await import('@callboard/kernel/config')).kernelConfigKeys.map(named),
    checkConfig: async (section) => {
      // Nothing is wrong with nothing, and `up` is in a hurry.
      if (section === undefined) return []
      const { parseKernelConfig } = await import('@callboard/kernel/config')
      return problemsOf(() => parseKernelConfig(section))
    },
    program: python,
  },
  scheduler: {
    create: async (settings) => (await import('@callboard/scheduler')).createSchedulerWorker(settings),
    configKeys: async () => (await import('@callboard/scheduler/config')).schedulerConfigKeys.map(named),
    takesBareNames: true,
    checkConfig: async (section) => {
      if (section === undefined) return []
      const { parseSchedulerConfig } = await import('@callboard/scheduler/config')
      return problemsOf(() => parseSchedulerConfig(section))
    },
  },
  social: {
    create: async (settings) => (await import('@callboard/social')).createSocialWorker(settings),
    configKeys: async () => (await import('@callboard/social/config')).socialConfigKeys,
    // Who comes from that program brings its variables along.
    otherPrefix: 'TUITBOT_',
    checkConfig: async (section) => {
      if (section === undefined) return []
      const { parseSocialConfig } = await import('@callboard/social/config')
      return problemsOf(() => parseSocialConfig(section))
    },
  },
  forum: {
    create: async (settings) => (await import('@callboard/forum')).createForumWorker(settings),
    configKeys: async () => (await import('@callboard/forum/config')).forumConfigKeys,
    settle: async (layers, home) => (await import('@callboard/forum/config')).settleSection(layers, home),
    flags: async () => ({
      flags: (await import('@callboard/forum/config')).forumConfigKeys,
      examples: [
        'callboard worker forum --profile ~/.config/callboard/forum.json',
        'callboard worker forum --site https://meta.discourse.org --default-search "category:support"',
        'callboard worker forum --profile forum.json --allow_writes --read_only=false',
        `callboard worker forum --auth_pairs '[{"site": "https://forum.example", "api_key": "…", "api_username": "system"}]'`,
      ],
    }),
  },
  qda: {
    create: async (settings) => (await import('@callboard/qda')).createQdaWorker(settings),
    configKeys: async () => (await import('@callboard/qda/config')).qdaConfigKeys,
    checkConfig: async (section, home) => {
      if (section === undefined) return []
      const { parseQdaConfig } = await import('@callboard/qda/config')
      return problemsOf(() => parseQdaConfig(section, home))
    },
  },
}

const named = (path: string): SectionKey => ({ path })

export const builtInWorkerNames: readonly string[] = Object.keys(builtInWorkers)

/** @throws UsageError for a name that is no built-in worker's. */
export function builtInWorker(name: string): Entry {
  const entry = Object.hasOwn(builtInWorkers, name) ? builtInWorkers[name] : undefined
  if (entry !== undefined) return entry
  throw new UsageError(`There is no worker ${noSuchWorker(name)}`)
}

export const isBuiltIn = (name: string): boolean => builtInWorkerNames.includes(name)

/** The name, and which there are. */
export const noSuchWorker = (name: string): string =>
  `${name}${didYouMean(name, builtInWorkerNames)}; the built-in ones are: ${builtInWorkerNames.join(', ')}.`

function problemsOf(parse: () => unknown): readonly string[] {
  try {
    parse()
    return []
  } catch (error) {
    const { problems } = error as { readonly problems?: readonly string[] }
    if (problems === undefined) throw error
    return problems.map((problem) => `${problem}.`)
  }
}

function python(section: unknown): { name: string; remedy: string } {
  const own = (section as { python?: unknown } | undefined)?.python
  const name = typeof own === 'string' && own !== '' ? own : 'python3'
  return {
    name,
    remedy:
      'install Python 3.9 or later, set "kernel.python" in the config file, or leave kernel out of CALLBOARD_WORKERS',
  }
}
