import { z } from 'zod'
import type { ElicitResult, FormResult } from './api.js'
import { ToolError } from './errors.js'
import { isRecord } from './json-body.js'
import { describeIssues } from './tool-input.js'

/**
 * The JSON Schema of a form that a person fills in. Throws a TypeError for what no client can show: MCP's forms are flat,
 * with text, numbers, yes or no, and choices.
 */
export function formSchema(form: z.ZodObject): { readonly [key: string]: unknown } {
  const { type, properties = {}, required } = z.toJSONSchema(form, { io: 'input' })
  for (const [name, field] of Object.entries(properties)) {
    if (!isRecord(field) || !isField(field)) {
      throw new TypeError(`form field ${name}: must be a text, a number, a boolean, or a choice of texts`)
    }
  }
  return { type, properties, ...(required === undefined ? {} : { required }) }
}

/** What the person filled in, parsed; throws a ToolError `input_invalid` that names each bad field. */
export async function parseForm<Form extends z.ZodObject>(
  form: Form,
  answer: ElicitResult,
): Promise<FormResult<z.output<Form>>> {
  if (answer.action !== 'accept') return { action: answer.action }
  const parsed = await form.safeParseAsync(answer.content ?? {})
  if (parsed.success) return { action: 'accept', content: parsed.data }
  throw new ToolError(
    'input_invalid',
    `The form was not filled in as asked: ${describeIssues(parsed.error.issues, answer.content)}`,
  )
}

function isField(field: { readonly [key: string]: unknown }): boolean {
  switch (field['type']) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return true
    case 'array':
      return isRecord(field['items']) && Array.isArray(field['items']['enum'])
    default:
      return false
  }
}
