import { z } from 'zod'
import { foregroundSMax, kernelNameLengthMax } from '../limits.js'

// Inputs may be null for absent. No `default` and no `format`: some clients cannot parse them.

export const kernelField = z
  .string()
  .min(1, 'is empty: give the name of a kernel, or leave it out for the one of this session')
  .max(kernelNameLengthMax)
  // Not as a pattern of the schema: this notation is not every client's.
  .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), 'must not hold control characters')
  .nullish()
  .describe('A named kernel, shared by all your sessions; absent: the one of this session.')

export const runIdField = z.int().positive().nullish().describe('Absent: the newest run of the kernel.')

export const waitField = z.number().min(0).max(foregroundSMax).nullish()

const names = z.array(z.string()).readonly()
const omittedBytes = z.int().optional()

const failure = z
  .object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    retryAfterMs: z.number().optional(),
  })
  .describe('Set when the tool failed, not the code.')

/** What weave_eval and weave_wait answer. */
export const runOutput = z.object({
  result: z.string().nullable().describe('repr of the value of the last expression; null if None or no value.'),
  stdout: z.string(),
  stderr: z.string(),
  success: z.boolean(),
  error: z.string().nullable().describe('Traceback, or why there is no end yet, or why nothing ran; null on success.'),
  status: z.enum(['ok', 'error', 'interrupted', 'timeout', 'running', 'queued', 'kernel_died', 'refused']),
  run_id: z.int().nullable(),
  epoch: z.int().nullable().describe('Rises with each new process: variables of an earlier one are gone.'),
  duration_s: z.number(),
  names: z
    .object({ added: names, changed: names, deleted: names })
    .describe('Top-level names that this run bound, bound anew or deleted.'),
  truncated: z
    .object({ result: omittedBytes, stdout: omittedBytes, stderr: omittedBytes, error: omittedBytes })
    .nullable()
    .describe('Bytes left out per field; weave_peek reads them.'),
  failure: failure.nullable(),
  replayed: z.boolean().describe('This is the run that the same idempotency key stands for; nothing ran now.'),
  notices: z.array(z.string()).readonly().describe('What happened outside this run, e.g. that variables were lost.'),
})
