/** What can go wrong, for programs. */
export const failureCodes = [
  'invalid_arguments',
  'no_site_selected',
  'tool_unavailable',
  'not_authenticated',
  'invalid_credentials',
  'forbidden',
  'not_found',
  'conflict',
  'rejected',
  'not_stored',
  'rate_limited',
  'site_read_only',
  'upstream_error',
  'timeout',
  'network_error',
  'unexpected_response',
  'redirect_refused',
  'outcome_unknown',
  'cancelled',
] as const

export type FailureCode = (typeof failureCodes)[number]

/** What became of a write: `rejected`, nothing has happened; `unknown`, it may have, and nobody may send it again. */
export type FailedOutcome = 'rejected' | 'unknown'

/** What is known beside the sentence; the keys are those that agents see. */
export interface FailureDetails {
  /** Of the forum's answer. */
  readonly status?: number
  /** The forum's own words. */
  readonly errors?: readonly string[]
  readonly error_type?: string
  /** Seconds. */
  readonly retry_after_s?: number
  readonly outcome?: FailedOutcome
  readonly hint?: string
  readonly issues?: readonly { readonly path: string; readonly message: string }[]
  /** Of a draft that somebody else has saved meanwhile. */
  readonly current_sequence?: number
}

/** Why a call or a reading was refused or has failed: a sentence that says what to do, for agents. */
export class ForumFailure extends Error {
  override readonly name = 'ForumFailure'
  readonly code: FailureCode
  readonly details: FailureDetails

  constructor(code: FailureCode, message: string, details: FailureDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  /** The same with more known about it. */
  with(details: FailureDetails): ForumFailure {
    return new ForumFailure(this.code, this.message, { ...this.details, ...details }, this.cause)
  }

  /** Whether the same call may succeed later: never where it may have had its effect. */
  get retryable(): boolean {
    return this.details.outcome !== 'unknown' && passing.has(this.code)
  }
}

const passing: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'site_read_only',
  'upstream_error',
  'timeout',
  'network_error',
])
