import { ToolError } from '@callboard/worker'
import { expect, it } from 'vitest'
import { formatToolError } from '../src/format-tool-error.js'

it.each([
  ['deadline_exceeded', 'DEADLINE_EXCEEDED'],
  ['invalid_argument', 'INVALID_ARGUMENT'],
  ['outcome_unknown', 'INTERNAL'],
  ['internal', 'INTERNAL'],
])('what ends as %s without its tool is a failure like any other: %s', (code, ownCode) => {
  const { content, structuredContent, isError, _meta } = formatToolError(
    new ToolError(code, 'It took too long.', { retryable: true, retryAfterMs: 500, details: { path: 'a' } }),
  )
  expect(structuredContent).toEqual({
    success: false,
    error: 'It took too long.',
    error_code: ownCode,
    details: { path: 'a', code },
  })
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  expect(isError).toBe(true)
  expect(_meta?.['callboard/error']).toEqual({
    code,
    message: 'It took too long.',
    retryable: true,
    retryAfterMs: 500,
  })
})
