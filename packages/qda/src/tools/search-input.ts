import { z } from 'zod'
import { idsNamedMax } from '../limits.js'
import { id } from './common-input.js'

export const patternInput = z.string().describe('What to look for; with match "regex" an expression as in JavaScript')
export const matchInput = z
  .enum(['literal', 'word', 'regex'])
  .default('literal')
  .describe('word: no letter, digit or underscore before and after it')
export const caseSensitiveInput = z.boolean().default(false)
export const sourceIdsInput = z
  .array(id('Source ID'))
  .min(1)
  .max(idsNamedMax)
  .optional()
  .describe('Only these sources. Default: all that have a text')
export const codeIdsInput = z.array(id('Code ID')).min(1).max(idsNamedMax).optional()
export const pageCursor = z.string().min(1).max(200).optional().describe('next_cursor of the page before')
