import { z } from 'zod'
import { draftKeyLengthMax } from '../limits.js'

/** Of a topic, a post, a category: above zero. */
export const id = (what: string) => z.int().min(1).describe(what)
export const page = z.int().min(0).default(0).describe('Which page, from 0')
/** Their length is counted in code points. */
export const textOf = (min: number, max: number, what: string) =>
  z
    .string()
    .refine((text) => hasLength(text, min, max), { error: lengthWords(min, max) })
    .meta({ minLength: min, maxLength: max })
    .describe(what)

const lengthWords = (min: number, max: number) =>
  min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`

function hasLength(text: string, min: number, max: number): boolean {
  if (text.length <= max && text.length >= 2 * min) return true
  if (text.length > 2 * max) return false
  const length = [...text].length
  return length >= min && length <= max
}

export const postRaw = textOf(1, 30_000, 'The text, in Markdown')
export const topicTitle = textOf(1, 300, 'Its title')
export const tagList = z
  .array(textOf(1, 100, 'Its name'))
  .max(10)
  .describe('Names of tags')
export const draftKey = textOf(
  1,
  draftKeyLengthMax,
  'new_topic, new_private_message, or topic_ and the id of the topic',
)
