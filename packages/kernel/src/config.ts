import { isAbsolute, normalize } from 'node:path'
import { z } from 'zod'
import { sandboxPathsMax } from './isolation/limits.js'
import { foregroundSMax } from './limits.js'

const mebibyte = 1024 * 1024

const place = z
  .string()
  .max(4096)
  .refine((path) => isAbsolute(path) && !path.includes('\0'), 'must be an absolute path')
  .transform((path) => normalize(path))
const places = z.array(place).max(sandboxPathsMax).default([])

const schema = z.strictObject({
  python: z.string().min(1).default('python3'),
  maxKernels: z.int().min(1).max(1024).default(64),
  maxQueuedRuns: z.int().min(1).max(1024).default(32),
  idleMinutes: z.number().positive().max(100_000).default(60),
  foregroundS: z.number().min(0).max(foregroundSMax).default(40),
  defaultTimeoutS: z.number().positive().max(3600).default(600),
  memoryMiB: z.int().min(512).max(1_048_576).default(4096),
  fileMiB: z.int().min(1).max(16_777_216).default(16_384),
  openFiles: z.int().min(64).max(1_048_576).default(1024),
  kernelspecDirs: z.array(z.string().min(1)).max(64).default([]),
  spoolMiB: z.int().min(1).max(1_048_576).default(1024),
  maxProcesses: z.int().min(8).max(65_536).default(256),
  niceness: z.int().min(0).max(19).default(5),
  sandbox: z.enum(['auto', 'required', 'off']).default('auto'),
  sandboxNetwork: z.boolean().default(false),
  sandboxPaths: z
    .strictObject({
      readable: places,
      writable: places.refine((paths) => !paths.includes('/'), 'must not make the whole system writable'),
    })
    .default({ readable: [], writable: [] }),
})

/** Of the section, as written in the file. */
export const kernelConfigKeys: readonly string[] = Object.keys(schema.shape)

/** Frozen, complete and checked; made by {@link parseKernelConfig} only. */
export interface KernelConfig {
  /** A path, or a name to be found on PATH. */
  readonly python: string
  readonly maxKernels: number
  readonly maxQueuedRuns: number
  readonly idleMs: number
  /** How long a call waits for the end of its code when it does not say. */
  readonly foregroundS: number
  readonly defaultTimeoutMs: number
  readonly limits: KernelLimits
  /** Looked through for Jupyter kernels before the places that Jupyter itself knows. */
  readonly kernelspecDirs: readonly string[]
  /** Of the output of all runs on disk; beyond it that of the oldest goes. */
  readonly spoolBytesMax: number
  readonly sandbox: SandboxConfig
}

export interface SandboxConfig {
  /** `auto`: where bubblewrap works; `required`: no kernel without it. */
  readonly mode: 'auto' | 'required' | 'off'
  readonly network: boolean
  /** Absolute paths that a kernel sees at their own places, beside the system's directories. */
  readonly readable: readonly string[]
  /** And those that it may write to, beside its working directory. */
  readonly writable: readonly string[]
}

/** Set inside the child before user code, soft and hard alike. */
export interface KernelLimits {
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly openFiles: number
  readonly coreBytes: number
  /** Of the kernel and all programs that it has started, together. */
  readonly processes: number
  /** Added to the worker's own, so that it answers while kernels compute. */
  readonly niceness: number
}

/** Every problem of the section at once, each with the key it is about. */
export class KernelConfigError extends Error {
  override readonly name = 'KernelConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The section `kernel` of callboard.config.json; absent means the defaults. Throws a KernelConfigError. */
export function parseKernelConfig(section: unknown): KernelConfig {
  const parsed = schema.safeParse(section ?? {})
  if (!parsed.success) {
    throw new KernelConfigError(
      parsed.error.issues.map((issue) => `${['kernel', ...issue.path].join('.')}: ${wordsOf(issue)}`),
    )
  }
  const value = parsed.data
  return Object.freeze({
    python: value.python,
    maxKernels: value.maxKernels,
    maxQueuedRuns: value.maxQueuedRuns,
    idleMs: value.idleMinutes * 60_000,
    foregroundS: value.foregroundS,
    defaultTimeoutMs: value.defaultTimeoutS * 1000,
    limits: Object.freeze({
      memoryBytes: value.memoryMiB * mebibyte,
      fileBytes: value.fileMiB * mebibyte,
      openFiles: value.openFiles,
      coreBytes: 0,
      processes: value.maxProcesses,
      niceness: value.niceness,
    }),
    sandbox: Object.freeze({
      mode: value.sandbox,
      network: value.sandboxNetwork,
      readable: Object.freeze(value.sandboxPaths.readable),
      writable: Object.freeze(value.sandboxPaths.writable),
    }),
    kernelspecDirs: Object.freeze(value.kernelspecDirs),
    spoolBytesMax: value.spoolMiB * mebibyte,
  })
}

function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown key ${issue.keys.join(', ')}; there are ${keysAt(issue.path).join(', ')}`
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty'
      return `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${issue.maximum} entries`
      return `must be at most ${issue.maximum}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    default:
      return issue.message
  }
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  return path[0] === 'sandboxPaths' ? ['readable', 'writable'] : Object.keys(schema.shape)
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  object: 'an object',
  boolean: 'true or false',
  array: 'a list',
}
