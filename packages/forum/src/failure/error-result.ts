import { result, type ToolError, type ToolResult, text } from '@callboard/worker'
import type { FailureCode, ForumFailure } from './forum-failure.js'

/** A failure as agents read it: `error` is a sentence, everything else is for programs. */
export interface ErrorObject {
  readonly error: string
  readonly code: string
  readonly [key: string]: unknown
}

export function errorObject({ message, code, details }: ForumFailure): ErrorObject {
  return { error: message, code, ...details }
}

/** Without structured content: what a client checks against the output schema would not fit. */
export function errorResult(failure: ForumFailure) {
  const { message, code, retryable, details } = failure
  return result({
    content: text(JSON.stringify(errorObject(failure))),
    isError: true,
    meta: { 'callboard/error': routingError(code, message, retryable, details.retry_after_s) },
  })
}

/** What the SDK answers by itself, e.g. to a call past its deadline, in the same form. */
export function formatToolError({ code, message, retryable, retryAfterMs }: ToolError): ToolResult {
  const own = ownCodes.get(code) ?? code
  return {
    content: [text(JSON.stringify({ error: message, code: own }))],
    isError: true,
    _meta: {
      'callboard/error': { code: own, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    },
  }
}

const ownCodes: ReadonlyMap<string, FailureCode> = new Map([
  ['invalid_argument', 'invalid_arguments'],
  ['deadline_exceeded', 'timeout'],
])

function routingError(code: string, message: string, retryable: boolean, seconds: number | undefined) {
  return { code, message, retryable, ...(seconds !== undefined && { retryAfterMs: Math.ceil(seconds * 1000) }) }
}
