import { z } from 'zod'
import { codeLengthMax, namesListedMax, recentHistoryMax, timeoutSMax } from '../limits.js'

// Inputs may be null for absent. No `default` and no `format`: some clients cannot parse them.

export const evalInput = z.object({
  code: z
    .string()
    .max(codeLengthMax)
    .describe(
      'Python source. Names stay for later calls; the value of a last expression is returned; top-level await works.',
    ),
  timeout_s: z
    .number()
    .positive()
    .max(timeoutSMax)
    .nullish()
    .describe('Seconds of running time, then the code is interrupted.'),
})

const failure = z
  .object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    retryAfterMs: z.number().optional(),
  })
  .describe('Set when the tool failed, not the code.')

export const evalOutput = z.object({
  result: z.string().nullable().describe('repr of the value of the last expression; null if None or no value.'),
  stdout: z.string(),
  stderr: z.string(),
  success: z.boolean(),
  error: z.string().nullable().describe('Traceback, or why nothing ran; null on success.'),
  status: z.enum(['ok', 'error', 'interrupted', 'timeout', 'kernel_died', 'refused']),
  run_id: z.int().nullable(),
  epoch: z.int().nullable().describe('Rises with each new Python process: variables of an earlier one are gone.'),
  duration_s: z.number(),
  names: z
    .object({
      added: z.array(z.string()).readonly(),
      changed: z.array(z.string()).readonly(),
      deleted: z.array(z.string()).readonly(),
    })
    .describe('Top-level names that this run bound, bound anew or deleted.'),
  truncated: z
    .object({
      result: z.int().optional(),
      stdout: z.int().optional(),
      stderr: z.int().optional(),
      error: z.int().optional(),
    })
    .nullable()
    .describe('Bytes left out per field.'),
  failure: failure.nullable(),
  notices: z.array(z.string()).describe('What happened outside this run, e.g. that variables were lost.'),
})

export const sessionInput = z.object({
  session_id: z.string().max(200).nullish().describe('A session of yours; absent: the current one.'),
})

const rule = z.object({
  id: z.string(),
  trigger: z.string(),
  action: z.string(),
  priority: z.string(),
  enabled: z.boolean(),
  fired_count: z.int(),
})

export const sessionOutput = z.object({
  session_id: z.string(),
  session_name: z.string(),
  vibe: z.string().nullable(),
  tempo_bpm: z.number(),
  active_rules: z.array(rule),
  markers: z.array(z.object({ name: z.string(), beat: z.number() })),
  recent_history: z
    .array(z.object({ action: z.string(), success: z.boolean(), timestamp: z.string() }))
    .describe(`What was run, newest first, at most ${recentHistoryMax}.`),
  transport_state: z.enum(['stopped', 'playing', 'paused']),
  current_beat: z.number(),
  kernel: z.object({
    state: z.enum(['absent', 'idle', 'busy', 'dead']),
    runtime: z.string().nullable(),
    isolation: z.string().nullable(),
    epoch: z.int().nullable(),
    running_run: z.int().nullable(),
    queue_length: z.int(),
    memory_bytes: z.int().nullable(),
    last_death: z.string().nullable(),
  }),
  names: z.array(z.string()).describe(`Names that runs have bound, newest first, at most ${namesListedMax}.`),
  names_total: z.int(),
})

export const resetInput = z.object({
  clear_session: z.boolean().nullish().describe('Also clear the history of the session; its id and name stay.'),
  level: z
    .enum(['names', 'process'])
    .nullish()
    .describe(
      'process (if absent): a new Python process. names: the same process without your names and background tasks.',
    ),
})

export const resetOutput = z.object({
  level: z.enum(['names', 'process']).describe('What was done: names becomes process when the kernel does not answer.'),
  epoch: z.int().nullable().describe('Of the process afterwards; null: there is none.'),
  cleared: z.object({ names: z.int(), session: z.boolean() }),
})

export const helpInput = z.object({
  topic: z
    .string()
    .max(200)
    .nullish()
    .describe('overview, api, session, scheduler, examples or the name of a tool; absent: overview.'),
})
