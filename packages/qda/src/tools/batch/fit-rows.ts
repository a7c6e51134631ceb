import { batchAnswerBytesMax, batchBareRowBytesMax } from '../../limits.js'
import type { BatchRow } from './apply-operations.js'

/**
 * The same rows with less in them, from the one on that an answer has no room for: it must not be refused for its size
 * after all was stored. What a row is about, and whether it was done, always stays.
 */
export function fitRows(rows: readonly BatchRow[]): readonly BatchRow[] {
  let room = batchAnswerBytesMax - rows.length * batchBareRowBytesMax
  return rows.map((row) => {
    const excess = Buffer.byteLength(JSON.stringify(row)) - batchBareRowBytesMax
    if (excess <= 0) return row
    room -= excess
    return room >= 0 ? row : bare(row)
  })
}

/** Room that later rows may still have is not looked for: a reader can tell where the short ones begin. */
function bare(row: BatchRow): BatchRow {
  if (!row.success) {
    const { index, success, error, error_code } = row
    return { index, success, error: shortened(error), error_code }
  }
  const { selected_text: _, overlaps, ...rest } = row
  return { ...rest, overlaps: [], ...(overlaps.length > 0 && { more_overlaps: true as const }) }
}

function shortened(error: string): string {
  const characters = [...error]
  return characters.length <= errorLengthMax ? error : `${characters.slice(0, errorLengthMax).join('')}…`
}

/** Of up to four bytes each; what else is in the row takes less than 100. */
const errorLengthMax = Math.floor((batchBareRowBytesMax - 100) / 4)
