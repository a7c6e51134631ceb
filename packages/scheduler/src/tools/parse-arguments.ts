import { readArguments } from '@callboard/worker/read-arguments'
import type { z } from 'zod'
import { refusal } from '../refusal.js'

/** What a call gives, as the tool's schema has it. Throws a ToolError INVALID_ARGUMENT that names every problem. */
export async function parseArguments<Input extends z.ZodObject>(
  schema: Input,
  given: { readonly [key: string]: unknown },
): Promise<z.output<Input>> {
  const read = await readArguments(schema, given)
  if ('data' in read) return read.data
  throw refusal('INVALID_ARGUMENT', read.problem)
}
