import { readArguments } from '@callboard/worker/read-arguments'
import type { z } from 'zod'
import { ForumFailure } from '../failure/forum-failure.js'

/** What a call gives, as the tool's schema has it. Throws a ForumFailure invalid_arguments that names every problem. */
export async function readInput<Input extends z.ZodObject>(
  schema: Input,
  given: { readonly [key: string]: unknown },
): Promise<z.output<Input>> {
  const read = await readArguments(schema, given)
  if ('data' in read) return read.data
  throw new ForumFailure('invalid_arguments', `${read.problem}.`, { issues: read.issues })
}
