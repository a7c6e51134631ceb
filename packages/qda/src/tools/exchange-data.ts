import { z } from 'zod'
import { lossesListedMax } from '../limits.js'
import type { LossList } from '../refi/loss-list.js'

/** What could not be taken over, as answers have it. */
export const lossData = {
  losses: z
    .array(z.object({ element: z.string(), guid: z.string().nullable(), what: z.string() }))
    .describe('What was lost: of which element, and what of it. The first 1,000'),
  loss_count: z.int().describe('Of all losses'),
}

export function lossesOf(...lists: readonly LossList[]) {
  const listed = lists.flatMap((list) => list.listed)
  return {
    losses: listed.slice(0, lossesListedMax).map((loss) => ({ ...loss })),
    loss_count: lists.reduce((sum, { count }) => sum + count, 0),
  }
}
