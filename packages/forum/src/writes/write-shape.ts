import { z } from 'zod'
import { idempotencyKeyMax } from '../limits.js'
import { textOf } from '../tools/common-input.js'

/** What every tool takes that writes, beside its own. */
export function writeInput<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({
    ...shape,
    idempotency_key: textOf(
      1,
      idempotencyKeyMax,
      'Names this write: a call with the same key and arguments within ten minutes is the same write and is not sent again; another key makes it another write. Without one, equal arguments within two minutes are the same write, except for edits, uploads and marks',
    ).optional(),
  })
}

/** What a tool that writes answers, with what became of it. */
export function outputOfWrite(output: z.ZodObject): z.ZodObject {
  return output.extend(writtenShape)
}

const writtenShape = {
  outcome: z.enum(['done', 'queued']).describe('`queued`: held for moderation'),
  recovered: z.literal(true).optional().describe('No answer came; it was found to have happened'),
  duplicate: z.literal(true).optional().describe('The same call had been made before; nothing was sent now'),
}
