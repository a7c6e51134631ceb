import { type ToolError, type ToolResult, text } from '@callboard/worker'
import type { FailureCode } from './failure.js'

/** What is answered without the tool, e.g. to a call past its deadline, in the form of this worker's own failures. */
export function formatToolError({ code, message, retryable, retryAfterMs, details }: ToolError): ToolResult {
  const failure = {
    success: false,
    error: message,
    error_code: ownCodes.get(code) ?? ('INTERNAL' satisfies FailureCode),
    details: { ...details, code },
  }
  return {
    content: [text(JSON.stringify(failure))],
    structuredContent: failure,
    isError: true,
    _meta: {
      'callboard/error': { code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    },
  }
}

const ownCodes: ReadonlyMap<string, FailureCode> = new Map([
  ['invalid_argument', 'INVALID_ARGUMENT'],
  ['deadline_exceeded', 'DEADLINE_EXCEEDED'],
])
