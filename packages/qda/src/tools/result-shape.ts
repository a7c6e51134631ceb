import { result, text } from '@callboard/worker'
import { z } from 'zod'
import type { QdaFailure } from '../failure.js'
import { Answer, type QdaTool } from './qda-tool.js'

/** The object that is an answer: as structured content, as text, and as the body over plain HTTP. */
export type AnswerObject = { readonly success: boolean; readonly [key: string]: unknown }

export function successObject({ isFlat }: Pick<QdaTool, 'isFlat'>, returned: unknown): AnswerObject {
  const { data, beside } = returned instanceof Answer ? returned : { data: returned, beside: {} }
  return { success: true, ...(isFlat === true && (data as object)), ...beside, data }
}

export function failureObject({ code, message, extras }: QdaFailure): AnswerObject {
  const { details, suggestions, data } = extras
  return {
    success: false,
    error: message,
    error_code: code,
    ...(details !== undefined && { details }),
    ...(suggestions !== undefined && { suggestions }),
    ...(data !== undefined && { data }),
  }
}

export function toResult(answer: AnswerObject) {
  return result({ value: answer, content: text(JSON.stringify(answer)), ...(!answer.success && { isError: true }) })
}

/** Every answer of the tool, failures too. */
export function outputOf({ data, beside = {}, isFlat }: QdaTool): z.ZodObject {
  const flat = isFlat === true && data instanceof z.ZodObject ? data.partial().shape : {}
  return z.object({
    success: z.boolean(),
    data: data.optional().describe('Absent where it failed'),
    error: z.string().optional().describe('Why it failed, in a sentence'),
    error_code: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
    suggestions: z.array(z.string()).optional(),
    ...flat,
    ...z.object(beside).partial().shape,
  })
}
