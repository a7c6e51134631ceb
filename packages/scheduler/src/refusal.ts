import { ToolError } from '@callboard/worker'

/** What an agent is told when a tool of this worker refuses or fails. */
export type RefusalCode =
  | 'INVALID_ARGUMENT'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'DEPTH_LIMIT'
  | 'APPROVAL_REQUIRED'
  | 'NOT_CONFIGURED'
  | 'UNSUPPORTED'
  | 'UPSTREAM_ERROR'
  | 'TIMEOUT'
  | 'INTERNAL'

const retryableCodes: ReadonlySet<RefusalCode> = new Set(['RATE_LIMITED', 'UPSTREAM_ERROR', 'TIMEOUT'])

export interface RefusalDetails {
  readonly hint?: string
  readonly retryAfterMs?: number
  readonly [key: string]: unknown
}

/** `message` says what is wrong and, with `hint`, what to do. */
export function refusal(code: RefusalCode, message: string, details: RefusalDetails = {}): ToolError {
  const { retryAfterMs, ...rest } = details
  return new ToolError(code, message, {
    retryable: retryableCodes.has(code),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    details: rest,
  })
}
