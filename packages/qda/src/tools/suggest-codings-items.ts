import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { reasonLengthMax } from '../limits.js'
import { type Operation, operationSchema, parseOperation } from './batch/operation.js'

/** One coding that is suggested. */
export interface SuggestedItem {
  /** Of a new code, its id is of no meaning. */
  readonly operation: Operation
  readonly newCode?: string | undefined
  readonly rationale?: string | undefined
  readonly confidence?: number | undefined
}

const own = z.object({
  new_code: z.string().min(1).optional(),
  rationale: z.string().max(reasonLengthMax).optional(),
  confidence: z.number().min(0).max(1).optional(),
})

const { properties } = operationSchema.meta() as { readonly properties: { readonly [key: string]: object } }
const { source_id: _, ...ofOperation } = properties

/** What agents are told; what is wrong with one item is told in its own row. */
export const suggestedItemSchema = z.unknown().meta({
  type: 'object',
  properties: {
    ...ofOperation,
    new_code: { type: 'string', description: 'Instead of code_id: the name of a code that is made on approval' },
    rationale: { type: 'string', maxLength: reasonLengthMax, description: 'Why; for the person who decides' },
    confidence: { type: 'number', minimum: 0, maximum: 1, description: 'How sure you are' },
  },
})

/** Throws INVALID_OPERATION. */
export function parseItem(given: unknown, sourceId: number): SuggestedItem {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid('An item must be an object')
  const { new_code, rationale, confidence, ...rest } = given as { readonly [key: string]: unknown }
  const read = own.safeParse({
    new_code: new_code ?? undefined,
    rationale: rationale ?? undefined,
    confidence: confidence ?? undefined,
  })
  if (!read.success) throw invalid(wordsOf(read.error.issues[0]!))
  if ('source_id' in rest) throw invalid('All items are of the same source: give source_id beside items')
  const isNew = read.data.new_code !== undefined
  if (isNew && (rest['code_id'] ?? undefined) !== undefined) throw invalid('Give code_id or new_code, not both')
  const operation = parseOperation({ ...rest, source_id: sourceId, ...(isNew && { code_id: 0 }) })
  if (typeof operation === 'string') throw invalid(operation)
  return { operation, newCode: read.data.new_code, rationale: read.data.rationale, confidence: read.data.confidence }
}

const invalid = (why: string): QdaFailure => new QdaFailure('INVALID_OPERATION', why)

const wordsOf = ({ path, message }: z.core.$ZodIssue): string => `${path.join('.')}: ${message}`
