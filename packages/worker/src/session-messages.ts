import type {
  CallId,
  CallMethod,
  Client,
  DefinitionVerdicts,
  Event as HubEvent,
  LogLevel,
  Message,
  Request,
  RoutingFailure,
  SessionView,
} from '@callboard/protocol'
import type { AbortCause } from './errors.js'

/** How a handler ended; the body is JSON. */
export type Outcome =
  | { readonly outcome: 'result'; readonly isError: boolean; readonly body: Uint8Array }
  | { readonly outcome: 'error'; readonly body: Uint8Array }

/** How a CALL of this worker ended. */
export type CallOutcome =
  | { readonly outcome: 'result' | 'error'; readonly body: Uint8Array }
  | { readonly outcome: 'failure'; readonly failure: RoutingFailure }

export interface InputQuestion {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: { readonly [key: string]: unknown }
}

/** A CALL to be made: for a live call, with a token, or (minting) for the worker itself. */
export interface CallStart {
  readonly id: string
  readonly method: CallMethod
  readonly name: string
  readonly on: { readonly parent: CallId } | { readonly token: string } | 'own'
  readonly timeoutMs?: number
  readonly idempotencyKey?: string
  readonly progress: boolean
  readonly body: Uint8Array
}

/** Everything that can happen to a worker's session. Times are this machine's, UTC ms. */
export type SessionEvent =
  | { readonly type: 'link_up' }
  | { readonly type: 'link_lost' }
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'handler_settled'; readonly id: CallId; readonly result: Outcome }
  | { readonly type: 'handler_progress'; readonly id: CallId; readonly body: Uint8Array }
  | { readonly type: 'handler_logged'; readonly id: CallId; readonly level: LogLevel; readonly body: Uint8Array }
  | { readonly type: 'input_asked'; readonly id: CallId; readonly questions: { readonly [key: string]: InputQuestion } }
  | { readonly type: 'call_started'; readonly call: CallStart }
  | { readonly type: 'call_given_up'; readonly id: string }
  | { readonly type: 'definitions_changed'; readonly body: Uint8Array }
  | { readonly type: 'view_changed'; readonly session: string; readonly view: SessionView }
  | { readonly type: 'happened'; readonly kind: HubEvent['kind']; readonly uri?: string; readonly session?: string }
  | { readonly type: 'drain' }
  | { readonly type: 'stop' }
  /** `holdUntil` goes into the heartbeat if one is due. */
  | { readonly type: 'tick'; readonly holdUntil?: number }

/** What the shell must now do, in this order. */
export type Effect =
  | { readonly type: 'send'; readonly message: Message }
  | { readonly type: 'start_handler'; readonly request: Request }
  | { readonly type: 'abort_handler'; readonly id: CallId; readonly cause: AbortCause }
  | {
      readonly type: 'resume_handler'
      readonly id: CallId
      readonly answers: { readonly [key: string]: unknown }
      readonly client: Client
    }
  /** The question can't be asked: the call is over, or has too many. */
  | { readonly type: 'refuse_input'; readonly id: CallId; readonly keys: readonly string[] }
  | { readonly type: 'call_progressed'; readonly id: string; readonly body: Uint8Array }
  | { readonly type: 'settle_call'; readonly id: string; readonly result: CallOutcome }
  | { readonly type: 'session_closed'; readonly session: string }
  | { readonly type: 'roots_changed'; readonly session: string }
  | { readonly type: 'subscription'; readonly uri: string; readonly session: string; readonly subscribed: boolean }
  | { readonly type: 'ready'; readonly trusted: boolean; readonly refused: DefinitionVerdicts['refused'] }
  | { readonly type: 'unready'; readonly cause: string }
  /** There is no sign-in for a while now. `refusal`: what the hub that is there said last. */
  | { readonly type: 'waiting'; readonly refusal?: string }
  | { readonly type: 'draining' }
  | { readonly type: 'closed' }
  | { readonly type: 'fatal'; readonly code: string; readonly message: string }
