import { type ErrorCode, errorCodes } from './error-codes.js'

export interface FailureOptions {
  /** Default: what the code usually means. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** UTC ms at which a network lets us in again. */
  readonly rateLimitReset?: number
  readonly policyDecision?: 'denied' | 'routed_to_approval'
  /** What a program may want to know, e.g. `network`, `rule`, `status`. Never a secret. */
  readonly details?: { readonly [key: string]: unknown }
  readonly cause?: unknown
}

/** Refuses or fails a call: `code` is API, the message says what to do. Whatever else is thrown is `internal_error`. */
export class SocialFailure extends Error {
  override readonly name = 'SocialFailure'
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly options: FailureOptions

  constructor(code: ErrorCode, message: string, options: FailureOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.retryable = options.retryable ?? errorCodes[code]
    this.options = options
  }
}

export function failure(code: ErrorCode, message: string, options?: FailureOptions): SocialFailure {
  return new SocialFailure(code, message, options)
}
