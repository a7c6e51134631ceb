import type { Content, ToolResult } from './api.js'
import type { ToolError } from './errors.js'
import { isRecord } from './json-body.js'
import { isResult } from './results.js'

/** What a tool handler returned, as the value it stands for and the content it brings. */
export interface Returned {
  readonly value?: unknown
  readonly content?: readonly Content[]
  readonly isError?: boolean
  readonly meta?: { readonly [key: string]: unknown }
}

export function readReturn(returned: unknown, hasOutputSchema: boolean): Returned {
  if (isResult(returned)) return returned
  if (hasOutputSchema) return { value: returned }
  if (isContent(returned)) return { content: [returned] }
  if (Array.isArray(returned) && returned.length > 0 && returned.every(isContent)) return { content: returned }
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] }
  return returned === undefined ? { content: [] } : { value: returned }
}

export function toToolResult({ value, content, isError, meta }: Returned, hasOutputSchema: boolean): ToolResult {
  // A client of an older generation takes an object or nothing; only a schema tells it of anything else.
  const isStructured = value !== undefined && (hasOutputSchema || isRecord(value))
  return {
    content: content ?? (value === undefined ? [] : [{ type: 'text', text: asText(value) }]),
    ...(isStructured ? { structuredContent: value } : {}),
    ...(isError ? { isError } : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  }
}

/** A ToolError as agents read it; with an output schema clients would refuse structured content of another shape. */
export function toErrorResult(error: ToolError, hasOutputSchema: boolean): ToolResult {
  const own = {
    code: error.code,
    message: error.message,
    retryable: error.retryable,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  }
  // What matters is read first, and details can't change it.
  const shape = { ...own, ...error.details, ...own }
  return {
    content: [{ type: 'text', text: JSON.stringify(shape) }],
    ...(hasOutputSchema ? {} : { structuredContent: { error: shape } }),
    isError: true,
    _meta: { 'callboard/error': shape },
  }
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new TypeError(`a ${typeof value} has no JSON`)
  return json
}

export function isContent(value: unknown): value is Content {
  if (!isRecord(value)) return false
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string'
    case 'image':
    case 'audio':
      return typeof value['data'] === 'string' && typeof value['mimeType'] === 'string'
    case 'resource_link':
      return typeof value['uri'] === 'string' && typeof value['name'] === 'string'
    case 'resource':
      return isRecord(value['resource']) && typeof value['resource']['uri'] === 'string'
    default:
      return false
  }
}
