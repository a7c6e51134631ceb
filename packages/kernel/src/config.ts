import { z } from 'zod'
import { foregroundSMax } from './limits.js'

const mebibyte = 1024 * 1024

const schema = z.strictObject({
  python: z.string().min(1).default('python3'),
  maxKernels: z.int().min(1).max(1024).default(64),
  maxQueuedRuns: z.int().min(1).max(1024).default(32),
  idleMinutes: z.number().positive().max(100_000).default(60),
  foregroundS: z.number().min(0).max(foregroundSMax).default(40),
  defaultTimeoutS: z.number().positive().max(3600).default(600),
  memoryMiB: z.int().min(64).max(1_048_576).default(4096),
  fileMiB: z.int().min(1).max(16_777_216).default(16_384),
  openFiles: z.int().min(64).max(1_048_576).default(1024),
  kernelspecDirs: z.array(z.string().min(1)).max(64).default([]),
  spoolMiB: z.int().min(1).max(1_048_576).default(1024),
})

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
}

/** Set inside the child before user code, soft and hard alike. */
export interface KernelLimits {
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly openFiles: number
  readonly coreBytes: number
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
    }),
    kernelspecDirs: Object.freeze(value.kernelspecDirs),
    spoolBytesMax: value.spoolMiB * mebibyte,
  })
}

function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown key ${issue.keys.join(', ')}; there are ${Object.keys(schema.shape).join(', ')}`
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty'
      return `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    default:
      return issue.message
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  object: 'an object',
  array: 'a list',
}
