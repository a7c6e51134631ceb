import { z } from 'zod'
import { mediaPathLengthMax, mediaPerPartMax, mediaTotalBytesMax, partsMax, pastedUrlMax } from '../limits.js'
import { idempotencyKeyInput, timeInput } from './common-input.js'
import { partsInput } from './item-input.js'
import { actionTypes } from './item-view.js'
import { networkInput } from './network-input.js'
import { oneOf } from './one-of.js'

const base64LengthMax = Math.ceil(mediaTotalBytesMax / 3) * 4

export const proposeInput = z.strictObject({
  parts: partsInput.optional(),
  draft_id: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('In place of parts: a draft of compose_tweet'),
  kind: oneOf(actionTypes).optional().describe('Required with parts; a draft has its own'),
  network: networkInput,
  reply_to: z
    .string()
    .min(1)
    .max(pastedUrlMax)
    .optional()
    .describe('URL or id of the post to answer; for a reply, and only there'),
  media: z
    .array(
      z.strictObject({
        path: z
          .string()
          .min(1)
          .max(mediaPathLengthMax)
          .exactOptional()
          .describe('A file below one of the operator’s media roots'),
        data: z.string().min(1).max(base64LengthMax).exactOptional().describe('In place of path: the file in base64'),
        alt: z.string().max(10_000).default('').describe('What a person who can not see it should know'),
        part: z
          .int()
          .min(0)
          .max(partsMax - 1)
          .default(0),
      }),
    )
    .max(partsMax * mediaPerPartMax)
    .default([]),
  scheduled_for: timeInput.optional().describe('When it is to go out: ISO 8601 with an offset or Z, in the future.'),
  idempotency_key: idempotencyKeyInput.describe('The same key again is the same item, never a second one.'),
})
export type ProposeInput = z.output<typeof proposeInput>
