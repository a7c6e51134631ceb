import type { CancelReason, Client, RoutingFailureCode } from '@callboard/protocol'

export interface ToolErrorOptions {
  /** Whether the same call may succeed later without a change (default false). */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** More fields of the error object that the agent gets, e.g. a `hint`. */
  readonly details?: { readonly [key: string]: unknown }
  readonly cause?: unknown
}

/** A refusal or failure that the agent should read: `code` is API, `message` says what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
  readonly details?: { readonly [key: string]: unknown }

  constructor(code: string, message: string, options: ToolErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.retryable = options.retryable ?? false
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
    if (options.details !== undefined) this.details = options.details
  }
}

/** The client at the root of the call can't be asked for this; known before anything was asked. */
export class InputUnsupported extends ToolError {
  readonly kind: Client['input'][number]

  constructor(kind: Client['input'][number]) {
    super('input_unsupported', `The client of this call can't give input of the kind "${kind}".`)
    this.kind = kind
  }
}

/** The sign-in was refused in a way that trying again doesn't change. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly code: string

  constructor(service: string, code: string, message: string) {
    super(`The hub refused the worker "${service}": ${message} (${code})`)
    this.code = code
  }
}

/** Why a `call()` of this worker got no answer from the other one. A tool that answers `isError` is an answer. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  readonly code: RoutingFailureCode | 'protocol_error'
  readonly retryable: boolean
  readonly retryAfterMs?: number
  /** With `protocol_error`: the JSON-RPC error that the other worker answered with. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }

  constructor(
    code: CallFailure['code'],
    message: string,
    options: {
      readonly retryable?: boolean
      readonly retryAfterMs?: number
      readonly error?: CallFailure['error']
    } = {},
  ) {
    super(message)
    this.code = code
    this.retryable = options.retryable ?? false
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
    if (options.error !== undefined) this.error = options.error
  }
}

/** What made a handler's signal abort. */
export type AbortCause = CancelReason | 'link_lost' | 'hub_restarted' | 'stopped'

/** The `reason` of a handler's aborted signal. A handler may let it pass: the agent then gets the matching code. */
export class CallAborted extends Error {
  override readonly name = 'CallAborted'
  readonly reason: AbortCause

  constructor(reason: AbortCause) {
    super(sentences[reason])
    this.reason = reason
  }
}

const sentences: { readonly [reason in AbortCause]: string } = {
  cancelled: 'The caller cancelled this call.',
  deadline_exceeded: 'The call ran past its deadline.',
  disconnected: 'The caller is gone.',
  input_abandoned: 'The question to the person at the client was never answered.',
  draining: 'This worker or its hub is being stopped and the time for open calls is over.',
  unknown_call: 'The hub no longer knows this call.',
  link_lost: 'The connection to the hub was lost.',
  hub_restarted: 'The hub was restarted.',
  stopped: 'This worker was stopped at once.',
}
