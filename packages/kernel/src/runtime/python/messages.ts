import { z } from 'zod'
import type { KernelLimits } from '../../config.js'
import type { ResultMode } from '../runtime.js'

/** Worker → kernel. `start` and `attached` once each, then any number of the others; at most one `execute` at a time. */
export type ToKernel =
  | {
      readonly type: 'start'
      /** As `getppid()` must say. */
      readonly parent: number
      readonly directory: string
      /** Random; what the harness marks output with. */
      readonly outputToken: string
      /** `tasks`, where the system counts them for this kernel alone: threads and processes. */
      readonly limits: KernelLimits & { readonly tasks?: number }
    }
  /** The worker has opened the FIFOs that `hello` announced. */
  | { readonly type: 'attached' }
  | {
      readonly type: 'execute'
      readonly run: number
      readonly code: string
      readonly resultMode: ResultMode
    }
  /** Acts on this run only; a later one is never hit. */
  | { readonly type: 'interrupt'; readonly run: number }
  /** Between runs: clears the names and cancels background tasks; answered by `cleared`. */
  | { readonly type: 'reset'; readonly level: 'names' | 'modules' }
  /** For a side thread, also while a cell runs; answered by `answer`. */
  | { readonly type: 'ask'; readonly id: number; readonly method: string; readonly params: object }
  /** For a side thread; not answered. */
  | { readonly type: 'tell'; readonly method: string; readonly params: object }
  /** To a `request`. */
  | { readonly type: 'reply'; readonly id: number; readonly value: unknown }
  | {
      readonly type: 'reply'
      readonly id: number
      readonly error: { readonly kind: string; readonly message: string }
    }

const run = z.int()
const names = z.array(z.string())

const fromKernel = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), pid: z.int(), python: z.string() }),
  z.object({ type: z.literal('ready'), limitsRefused: names }),
  z.object({ type: z.literal('started'), run }),
  /** A MIME bundle: type to text, or to base64 for binary types. */
  z.object({
    type: z.literal('display'),
    run: run.nullable(),
    data: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('interrupting'), run, how: z.enum(['cancel', 'signal', 'not_running']) }),
  z.object({
    type: z.literal('finished'),
    run,
    outcome: z.enum(['ok', 'error', 'interrupted']),
    result: z.string().nullable(),
    error: z.string().nullable(),
    resultOmitted: z.int(),
    errorOmitted: z.int(),
    durationS: z.number(),
    names: z.object({ added: names, changed: names, deleted: names }),
  }),
  z.object({ type: z.literal('cleared'), names: z.int(), kept: names }),
  /** To an `ask`; `error` is a sentence for the agent. */
  z.object({ type: z.literal('answer'), id: z.int(), value: z.unknown(), error: z.string().nullable() }),
  /** Answered by `reply`, unless `withdraw` comes first. */
  z.object({
    type: z.literal('request'),
    id: z.int(),
    run: run.nullable(),
    firing: z.int().nullable(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('withdraw'), id: z.int() }),
  z.object({ type: z.literal('notice'), method: z.string(), params: z.unknown() }),
])

/** Kernel → worker. */
export type FromKernel = z.output<typeof fromKernel>
export type Finished = Extract<FromKernel, { type: 'finished' }>

/** Undefined for anything that is not a message: a cell can reach the socket if it tries, and must harm only itself. */
export function parseFromKernel(value: unknown): FromKernel | undefined {
  const parsed = fromKernel.safeParse(value)
  return parsed.success ? parsed.data : undefined
}
