import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import type { Foundation } from '../foundation.js'
import { batchOperationsMax, overlapsListedMax } from '../limits.js'
import { TimeSlices } from '../project/time-slices.js'
import { applyOperations, type BatchRow, type FailedRow } from './batch/apply-operations.js'
import { checkOperations } from './batch/check-operations.js'
import { fitRows } from './batch/fit-rows.js'
import { type Operation, operationSchema, parseOperation } from './batch/operation.js'
import { placeQuotes, type QuotedPlaces } from './batch/place-quotes.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

const rowData = z.object({
  index: z.int(),
  success: z.boolean(),
  segment_id: z.int().optional(),
  created: z.boolean().optional().describe('false: you had coded this passage with this code before'),
  overlaps: z
    .array(
      z.object({
        segment_id: z.int(),
        start_position: z.int(),
        end_position: z.int(),
        owner: z.string().nullable(),
      }),
    )
    .optional()
    .describe(`Segments of the same code on this passage, the first ${overlapsListedMax}; fewer in a long answer`),
  more_overlaps: z.literal(true).optional(),
  start_position: z.int().optional().describe('Of an operation with a quote: where it was found'),
  end_position: z.int().optional(),
  selected_text: z.string().optional(),
  matched: z.enum(['exact', 'folded', 'fuzzy']).optional(),
  relocated: z.literal(true).optional().describe('The quote does not stand at the given positions, but here'),
  error: z.string().optional(),
  error_code: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
})

interface Prepared {
  readonly operations: readonly (Operation | string)[]
  readonly quoted: QuotedPlaces
}

export function batchApplyCodesTool({ clock }: Pick<Foundation, 'clock'>): WriteTool {
  return rowsTool({
    name: 'batch_apply_codes',
    title: 'Code many passages',
    description: `Codes up to ${batchOperationsMax} passages at once, each given by positions (code points, from read_source_content) or by a quote. results has one row for each operation, in the same order; what failed tells why in its row.`,
    input: z.object({
      operations: z.array(operationSchema),
      mode: z
        .enum(['partial', 'all_or_nothing'])
        .default('partial')
        .describe('partial: what is right is stored. all_or_nothing: one failure takes everything back'),
    }),
    data: z.object({
      total: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      all_succeeded: z.boolean(),
      results: z.array(rowData),
    }),
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: async ({ operations: given }, { project, context }): Promise<Prepared> => {
      requireSize(given.length)
      const operations = given.map(parseOperation)
      const quoted = await placeQuotes(operations, project, new TimeSlices(clock, context.signal))
      return { operations, quoted }
    },
    apply: (writer, { mode }, { project }, { operations, quoted }) => {
      const checked = checkOperations(operations, quoted, project, writer.act.coder)
      const rows = applyOperations(writer, checked)
      const failed = rows.filter(({ success }) => !success).length
      if (failed === rows.length) throw allFailed(rows)
      if (mode === 'all_or_nothing' && failed > 0) throw rolledBack(rows, failed)
      writer.summary = summaryOf(rows)
      return summed(rows)
    },
  })
}

function requireSize(count: number): void {
  if (count === 0)
    throw new QdaFailure('BATCH_APPLY_CODES/EMPTY_BATCH', 'operations is empty; give at least one', {
      data: summed([]),
    })
  if (count > batchOperationsMax)
    throw new QdaFailure(
      'BATCH_APPLY_CODES/TOO_LARGE',
      `${count} operations are more than ${batchOperationsMax}; send them in several batches`,
      { details: { total: count, limit: batchOperationsMax } },
    )
}

function summed(rows: readonly BatchRow[]) {
  const succeeded = rows.filter(({ success }) => success).length
  const failed = rows.length - succeeded
  return { total: rows.length, succeeded, failed, all_succeeded: failed === 0, results: [...fitRows(rows)] }
}

function summaryOf(rows: readonly BatchRow[]): string {
  const created = rows.filter((row) => row.success && row.created).length
  return `${created} ${created === 1 ? 'passage' : 'passages'} coded`
}

function allFailed(rows: readonly BatchRow[]): QdaFailure {
  const [first] = rows.flatMap((row) => (row.success ? [] : [row.error]))
  return new QdaFailure(
    'BATCH_APPLY_CODES/ALL_FAILED',
    `None of ${rows.length} operations could be done; the first: ${first}. data.results tells why of each`,
    { data: summed(rows) },
  )
}

function rolledBack(rows: readonly BatchRow[], failed: number): QdaFailure {
  const back = ({ index }: BatchRow): FailedRow => ({
    index,
    success: false,
    error: 'Taken back, as another operation of the batch failed',
    error_code: 'ROLLED_BACK',
  })
  return new QdaFailure(
    'BATCH_APPLY_CODES/ROLLED_BACK',
    `${failed} of ${rows.length} operations failed, so that nothing was stored; mend or leave out those, or use mode partial`,
    { data: summed(rows.map((row) => (row.success ? back(row) : row))) },
  )
}
