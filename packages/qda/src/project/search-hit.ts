import { z } from 'zod'
import { hitTextLengthMax } from '../limits.js'
import { detached } from '../text/detached.js'
import type { TextIndex, TextRange } from '../text/text-index.js'

/** A passage of a text as tools show it. */
export const hitData = z.object({
  source_id: z.int(),
  start_position: z.int(),
  end_position: z.int(),
  text: z.string().describe(`Its first ${hitTextLengthMax} characters`),
  context_before: z.string(),
  context_after: z.string(),
})

export type Hit = z.output<typeof hitData>

/** `range` in code points. */
export function hitOf(sourceId: number, index: TextIndex, { start, end }: TextRange, contextLength: number): Hit {
  const piece = (from: number, to: number) => detached(index.slice(from, to))
  return {
    source_id: sourceId,
    start_position: start,
    end_position: end,
    text: piece(start, Math.min(end, start + hitTextLengthMax)),
    context_before: piece(start - contextLength, start),
    context_after: piece(end, end + contextLength),
  }
}
