import type { Writer } from '../../changes/writer.js'
import { QdaFailure } from '../../failure.js'
import { overlapsListedMax } from '../../limits.js'
import { insertCoding } from '../../project/codings.js'
import type { CheckedOperation } from './check-operations.js'

/** What became of one operation. */
export type BatchRow =
  | {
      readonly index: number
      readonly success: true
      readonly segment_id: number
      /** False: the coder had coded the same passage with the same code. */
      readonly created: boolean
      readonly overlaps: Overlap[]
      readonly more_overlaps?: true
      readonly start_position?: number
      readonly end_position?: number
      readonly selected_text?: string
      readonly matched?: 'exact' | 'folded' | 'fuzzy'
      readonly relocated?: true
    }
  | FailedRow

export interface FailedRow {
  readonly index: number
  readonly success: false
  readonly error: string
  readonly error_code: string
  readonly details?: { readonly [key: string]: unknown }
}

interface Overlap {
  readonly segment_id: number
  readonly start_position: number
  readonly end_position: number
  readonly owner: string | null
}

/** Stores what is right, in the order of the batch. */
export function applyOperations(
  writer: Writer,
  checked: readonly (CheckedOperation | QdaFailure)[],
): readonly BatchRow[] {
  return checked.map((each, index) =>
    each instanceof QdaFailure ? failedRow(index, each) : apply(writer, each, index),
  )
}

export function failedRow(index: number, { code, message, extras: { details } }: QdaFailure): FailedRow {
  return { index, success: false, error: message, error_code: code, ...(details !== undefined && { details }) }
}

function apply(writer: Writer, { operation, place, text, coded }: CheckedOperation, index: number): BatchRow {
  const { start, end } = place
  if (coded.isTaken(start, end)) return failedRow(index, taken())
  const same = coded.same(start, end)
  const others = coded.on(start, end, overlapsListedMax + 2).filter(({ id }) => id !== same)
  const id = same ?? store(writer, { operation, place, text, coded })
  return {
    index,
    success: true,
    segment_id: id,
    created: same === undefined,
    overlaps: others.slice(0, overlapsListedMax).map((span) => ({
      segment_id: span.id,
      start_position: span.start,
      end_position: span.end,
      owner: span.owner,
    })),
    ...(others.length > overlapsListedMax && { more_overlaps: true }),
    ...('matched' in place && {
      start_position: start,
      end_position: end,
      selected_text: text,
      matched: place.matched,
      ...(place.relocated && { relocated: true }),
    }),
  }
}

function store(writer: Writer, { operation, place: { start, end }, text, coded }: CheckedOperation): number {
  const { codeId: cid, sourceId: fid, memo, importance } = operation
  const id = insertCoding(writer, { cid, fid, start, end, text, memo, importance })
  coded.add({ id, start, end, owner: writer.coder() })
  return id
}

const taken = (): QdaFailure =>
  new QdaFailure(
    'INVALID_OPERATION',
    'A coding of yours has these positions stored, though its text stands elsewhere by now; repair_positions moves it',
  )
