import { z } from 'zod'
import type { KernelLimits } from './config.js'

/** Worker → kernel. `start` and `attached` once each, then any number of the others; at most one `execute` at a time. */
export type ToKernel =
  | { readonly type: 'start'; readonly parent: number; readonly directory: string; readonly limits: KernelLimits }
  /** The worker has opened the FIFOs that `hello` announced. */
  | { readonly type: 'attached' }
  | {
      readonly type: 'execute'
      readonly run: number
      readonly code: string
      readonly beginMark: string
      readonly endMark: string
    }
  /** Acts on this run only; a later one is never hit. */
  | { readonly type: 'interrupt'; readonly run: number }
  /** Between runs: clears the names and cancels background tasks; answered by `cleared`. */
  | { readonly type: 'reset' }
  | { readonly type: 'ping'; readonly id: number }

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
  z.object({ type: z.literal('cleared'), names: z.int() }),
  z.object({ type: z.literal('pong'), id: z.int(), run: run.nullable() }),
])

/** Kernel → worker. */
export type FromKernel = z.output<typeof fromKernel>
export type Finished = Extract<FromKernel, { type: 'finished' }>
export type Display = Extract<FromKernel, { type: 'display' }>

/** Undefined for anything that is not a message: a cell can reach the socket if it tries, and must harm only itself. */
export function parseFromKernel(value: unknown): FromKernel | undefined {
  const parsed = fromKernel.safeParse(value)
  return parsed.success ? parsed.data : undefined
}
