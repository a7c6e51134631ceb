import { ToolError, type ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import type { Agent } from '../kernel/agent.js'
import type { KernelPool } from '../kernel/kernel-pool.js'
import { peekBytesMax, peekBytesMin, peekBytesUsual, peekPatternLengthMax, textMatchesMax } from '../limits.js'
import { type ReadableText, readableText, searchText, sliceText } from '../output/readable-text.js'
import type { ReadableOutput } from '../output/run-output.js'
import type { Spool } from '../output/spool.js'
import { openStoredOutput } from '../output/stored-output.js'
import type { RunRecords } from '../records/run-records.js'
import { findRun } from './find-run.js'
import { kernelField, runIdField } from './run-schemas.js'

/** A run as weave_peek sees it, running or long over. */
export interface PeekedRun {
  readonly runId: number
  readonly status: string
  readonly output: ReadableOutput
  readonly result: string | null
  readonly error: string | null
}

// Inputs may be null for absent. No `default` and no `format`: some clients cannot parse them.
export const peekInput = z.object({
  run_id: runIdField,
  stream: z.enum(['stdout', 'stderr', 'result', 'error']).nullish().describe('stdout if absent.'),
  offset: z
    .int()
    .nullish()
    .describe(
      'Byte to begin at, e.g. next_offset of the last call; negative: so many bytes before the end. 0 if absent.',
    ),
  limit: z
    .int()
    .min(peekBytesMin)
    .max(peekBytesMax)
    .nullish()
    .describe(`Bytes to return at most, ${peekBytesUsual} if absent.`),
  pattern: z
    .string()
    .min(1)
    .max(peekPatternLengthMax)
    .nullish()
    .describe('Return the lines that contain this text (plain text within one line, no regular expression).'),
  kernel: kernelField,
})

export const peekOutput = z.object({
  run_id: z.int(),
  status: z.string().describe('Of the run: running, queued, or how it ended.'),
  stream: z.enum(['stdout', 'stderr', 'result', 'error']),
  text: z.string().describe('With pattern: the matching lines.'),
  offset: z.int().describe('Byte at which text really begins: never within a character, never in what was dropped.'),
  next_offset: z
    .int()
    .describe(
      'Read on from here. An unfinished last line is shown already, and comes again from here when it is whole.',
    ),
  total_bytes: z.int().describe('Bytes of the whole text so far.'),
  matches: z
    .array(z.object({ offset: z.int(), line: z.string() }))
    .nullable()
    .describe(`With pattern: the lines (of long ones a part) and where each begins, at most ${textMatchesMax}.`),
  loss: z.string().nullable().describe('What of the text is not kept, and why; null when all of it is.'),
})

export type PeekReply = z.output<typeof peekOutput>

export const peekSpec = {
  title: 'Read output',
  description:
    'Read the whole output of a run by byte offset, or search it, while it runs and afterwards, also after a reset; with what its threads and tasks print after its end. Never waits.',
  input: peekInput,
  output: peekOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof peekInput, typeof peekOutput>

/** Throws a ToolError `not_found`, or `unavailable` while another instance holds the run. */
export async function peekRun(
  input: z.output<typeof peekInput>,
  agent: Agent,
  { pool, runs, spool }: { readonly pool: KernelPool; readonly runs: RunRecords; readonly spool: Spool },
): Promise<PeekReply> {
  const found = await findRun(input, agent, pool, runs)
  if (found.kind === 'stored') {
    const { row } = found
    return peek(input, { ...row, output: await openStoredOutput(row, spool.run(row.owner, row.runId)) })
  }
  const { run } = found
  const { result, error } = run.report()
  // Until it has ended, what stands in `error` is advice and not of the run.
  const ended = run.isEnded ? { result, error } : { result: null, error: null }
  return peek(input, { runId: run.id, status: run.status, output: run.output, ...ended })
}

export async function peek(input: z.output<typeof peekInput>, run: PeekedRun): Promise<PeekReply> {
  const stream = input.stream ?? 'stdout'
  const text = textOf(run, stream)
  const offset = input.offset ?? 0
  const limit = input.limit ?? peekBytesUsual
  const reply = { run_id: run.runId, status: run.status, stream }
  if (typeof input.pattern !== 'string') {
    const slice = await sliceText(text, offset, limit)
    return {
      ...reply,
      text: slice.text,
      offset: slice.offset,
      next_offset: slice.nextOffset,
      total_bytes: slice.totalBytes,
      matches: null,
      loss: text.loss,
    }
  }
  if (input.pattern.includes('\n')) {
    throw new ToolError('invalid_argument', 'pattern is searched line by line and cannot contain a line break.')
  }
  const found = await searchText(text, input.pattern, offset, limit)
  return {
    ...reply,
    text: found.matches.map(({ line }) => line).join('\n'),
    offset: found.matches[0]?.offset ?? found.nextOffset,
    next_offset: found.nextOffset,
    total_bytes: found.totalBytes,
    matches: found.matches.map((match) => ({ ...match })),
    loss: text.loss,
  }
}

function textOf(run: PeekedRun, stream: NonNullable<PeekReply['stream']>): ReadableText {
  switch (stream) {
    case 'stdout':
      return run.output.stdout
    case 'stderr':
      return run.output.stderr
    case 'result':
      return readableText(run.result ?? '')
    case 'error':
      return readableText(run.error ?? '')
  }
}
