import { z } from 'zod'
import type { ImportCounts } from '../exchange/import-counts.js'
import type { LossList } from '../refi/loss-list.js'
import { lossData, lossesOf } from './exchange-data.js'

/** What every import answers. */
export const importData = {
  counts: z.record(z.string(), z.int()).describe('What came to be, by kind'),
  joined: z
    .record(z.string(), z.int())
    .describe('What was joined with something of the same name, which stays as it is'),
  ...lossData,
}

export const importedData = (counts: ImportCounts, losses: LossList) => ({
  counts: counts.created,
  joined: counts.joined,
  ...lossesOf(losses),
})
