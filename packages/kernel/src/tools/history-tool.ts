import { ToolError, type ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import type { Agent } from '../kernel/agent.js'
import { lastLineOf } from '../kernel/run-report.js'
import { codeShownMax, historyLimitMax, historyTextShownMax } from '../limits.js'
import type { RunRecords, RunRow } from '../records/run-records.js'
import { shortText } from '../short-text.js'

const historyInput = z.object({
  limit: z.int().min(1).max(historyLimitMax).nullish().describe('Runs to list (20 if absent), newest first.'),
  before: z
    .int()
    .positive()
    .nullish()
    .describe('Only runs with a smaller run_id: the next_before of an earlier answer.'),
  query: z.string().min(1).max(200).nullish().describe('Only runs whose code contains this text.'),
  run_id: z.int().positive().nullish().describe('Only this run, with its whole code.'),
})

const run = z.object({
  run_id: z.int(),
  kernel: z.string().nullable().describe('Name of the kernel; null: a kernel of one session.'),
  epoch: z.int().nullable(),
  status: z.string(),
  code: z.string(),
  code_cut: z.boolean(),
  result: z.string().nullable(),
  error: z.string().nullable().describe('Its last line.'),
  started_at: z.string().nullable(),
  duration_s: z.number().nullable(),
  stdout_bytes: z.int(),
  stderr_bytes: z.int(),
})

const historyOutput = z.object({
  runs: z.array(run),
  next_before: z.int().nullable().describe('For the next page; null: this was the last one.'),
})

export const historySpec = {
  title: 'Runs so far',
  description: 'List your runs with code and outcome, newest first; they outlive kernels and restarts.',
  input: historyInput,
  output: historyOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof historyInput, typeof historyOutput>

export async function listRuns(input: z.output<typeof historyInput>, { owner }: Agent, runs: RunRecords) {
  if (typeof input.run_id === 'number') {
    const row = await runs.find(owner, input.run_id)
    if (!row) throw new ToolError('not_found', `You have no run ${input.run_id}. Leave run_id out to list your runs.`)
    return { runs: [describe(row, Number.POSITIVE_INFINITY)], next_before: null }
  }
  const limit = input.limit ?? 20
  const rows = await runs.list(owner, {
    limit: limit + 1,
    ...(typeof input.before === 'number' && { before: input.before }),
    ...(typeof input.query === 'string' && { query: input.query }),
  })
  const page = rows.slice(0, limit)
  return {
    runs: page.map((row) => describe(row, codeShownMax)),
    next_before: rows.length > limit ? (page.at(-1)?.runId ?? null) : null,
  }
}

function describe(row: RunRow, codeMax: number) {
  const { startedAt, endedAt } = row
  return {
    run_id: row.runId,
    kernel: row.kernel.startsWith('named:') ? row.kernel.slice('named:'.length) : null,
    epoch: row.epoch,
    status: row.status,
    code: shortText(row.code, codeMax),
    code_cut: row.code.length > codeMax,
    result: row.result === null ? null : shortText(row.result, historyTextShownMax),
    error: row.error === null ? null : lastLineOf(row.error),
    started_at: startedAt === null ? null : new Date(startedAt).toISOString(),
    duration_s: startedAt === null || endedAt === null ? null : (endedAt - startedAt) / 1000,
    stdout_bytes: row.stdoutBytes,
    stderr_bytes: row.stderrBytes,
  }
}
