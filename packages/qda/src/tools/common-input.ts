import { z } from 'zod'
import { requestIdLengthMax } from '../limits.js'

/** A number of a row: as a number, or as its decimal digits. */
export const id = (what: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
      z.int().min(0),
    )
    .meta({ type: 'integer', minimum: 0 })
    .describe(what)

export const dryRun = z.boolean().default(false).describe('Checks everything, and changes nothing')
export const requestId = z
  .string()
  .min(1)
  .max(requestIdLengthMax)
  .optional()
  .describe('The same id with the same arguments has one effect, and gets the first answer again, for 24 hours')
export const confirm = z.boolean().default(false).describe('false: shows what it would do. true: does it')
const previewToken = z
  .string()
  .max(100)
  .nullish()
  .describe('Of the preview that is confirmed: refused if what it showed has changed since')

export const suggestionId = z.string().min(1).max(100).describe('Of a suggestion')

/** What every writing tool takes beside its own. */
export const writeInput = { dry_run: dryRun, request_id: requestId }
/** What tools take that show first what they would do. */
export const confirmInput = { confirm, preview_token: previewToken }

/** What every write may answer beside its own. */
export const writeData = {
  change_set_id: z.string().nullable().optional().describe('For undo_change_set; null: nothing changed'),
  dry_run: z.literal(true).optional(),
  replayed: z.literal(true).optional().describe('The answer of an earlier call with the same request_id'),
  status: z.string().optional(),
  suggestion_id: z.string().optional().describe('What waits for a person now'),
  requires_approval: z.literal(true).optional(),
  message: z.string().optional(),
}
export const previewData = {
  preview: z.literal(true).optional(),
  preview_token: z.string().nullable().optional(),
}
