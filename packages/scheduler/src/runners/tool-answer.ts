import type { ToolResult } from '@callboard/worker'

/** What a tool says of its failure. */
export interface ToolFailure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/** A tool's result as a model or a log reads it. */
export function textOfResult({ content, structuredContent }: ToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent)
  return content.map(textOfContent).join('\n')
}

/** Undefined unless the result is an error. A tool that does not say whether another try could help is not tried again. */
export function failureOf(result: ToolResult): ToolFailure | undefined {
  if (result.isError !== true) return undefined
  const text = textOfResult(result)
  const told = [result._meta?.['callboard/error'], memberOf(result.structuredContent, 'error'), parsed(text)]
    .map((shape) => memberOf(shape, 'error') ?? shape)
    .find((shape) => typeof memberOf(shape, 'code') === 'string')
  const [code, message, retryAfterMs] = ['code', 'message', 'retryAfterMs'].map((name) => memberOf(told, name))
  return {
    code: typeof code === 'string' ? code : 'error',
    message: typeof message === 'string' ? message : text,
    retryable: memberOf(told, 'retryable') === true,
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && { retryAfterMs }),
  }
}

/** A tool that has a field for it: what ran is over, and it did not do what it should. */
export function admittedFailureOf({ structuredContent }: ToolResult): ToolFailure | undefined {
  if (memberOf(structuredContent, 'success') !== false) return undefined
  const error = memberOf(structuredContent, 'error')
  const message = typeof error === 'string' && error !== '' ? error : 'its result says "success": false.'
  return { code: 'unsuccessful', message, retryable: false }
}

function textOfContent(content: ToolResult['content'][number]): string {
  switch (content.type) {
    case 'text':
      return content.text
    case 'image':
    case 'audio':
      return `[${content.type}, ${content.mimeType}, not shown]`
    case 'resource_link':
      return `[${content.name}: ${content.uri}]`
    case 'resource':
      return 'text' in content.resource ? String(content.resource.text) : `[${content.resource.uri}, not shown]`
    default:
      return '[content of an unknown kind]'
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as never)[name] : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
