/**
 * Every message of CB/1, as plain values. SPEC.md is the authority; a clause id stands beside each rule taken from it.
 *
 * Times are integer UTC milliseconds of the hub's clock unless a name says otherwise; durations end in `Ms`.
 * `body` is UTF-8 JSON that the hub passes on without decoding it.
 */

/** Identifies the life of one hub process; a new one after every start. */
export type HubEpoch = string

/** `<hub epoch>-<serial>`: the epoch is part of the id, so a call of an earlier hub is recognisable. [CB-31] */
export type CallId = string

export type Affinity = 'none' | 'session' | 'principal'
export type Replicas = 'many' | 'one'
export type Role = 'agent' | 'operator'

/** What MCP asks of a worker. Lists never reach one: the hub answers them from the catalogue. */
export type WorkerMethod = 'tools/call' | 'resources/read' | 'prompts/get' | 'completion/complete'

/** What a worker's CALL may ask; the last three the hub answers itself. [CB-60] */
export type CallMethod = WorkerMethod | 'tools/list' | 'callboard/token.mint' | 'callboard/token.revoke'

/** Who a call acts for. Made by the hub, never by an argument or by a worker's word. [CB-35] */
export interface Caller {
  readonly session: string
  /** `agent:<name>`, `operator:<name>` or `worker:<service>`. */
  readonly principal: string
  readonly roles: readonly Role[]
  readonly group?: string
  /** 0 for an agent's own call, one more for each call nested in it. */
  readonly depth: number
  readonly run?: { readonly id: string; readonly attempt: number; readonly triggerDepth: number }
  /** The root principal of a nested call; ownership of anything stored goes by it. */
  readonly onBehalfOf?: string
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** What the client at the other end of a call can do. */
export interface Client {
  readonly generation: 'legacy' | 'modern'
  /** Kinds of input that the client can give to a handler. */
  readonly input: readonly ('form' | 'url' | 'sampling' | 'roots')[]
  /** The least level that the client wants to see; absent: none. */
  readonly logLevel?: LogLevel
  readonly progress: boolean
}

// Sign-in -----------------------------------------------------------------------------------------------------------

export interface Hello {
  readonly type: 'hello'
  /** Lowest and highest protocol version that the worker speaks. */
  readonly versions: readonly [number, number]
}

export interface Challenge {
  readonly type: 'challenge'
  /** The version that the rest of the conversation is in. */
  readonly version: number
  /** 32 random bytes, valid for one READY. */
  readonly nonce: Uint8Array
  readonly epoch: HubEpoch
}

export interface Ready {
  readonly type: 'ready'
  readonly epoch: HubEpoch
  readonly service: string
  /** The worker's own version (semver by habit); orders replicas whose definitions differ. */
  readonly version: string
  /** Unguessable, one per process life. */
  readonly instance: string
  /** Rises with every sign-in of the same process. */
  readonly workerEpoch: number
  /** The worker's public key, in Z85: the proof is one by key. [CB-105] */
  readonly key?: string
  /** HMAC over nonce, epoch, routing id, service and instance; absent: the worker asks for no trust. [CB-14] */
  readonly proof?: Uint8Array
  /** Calls held at once at each depth. */
  readonly concurrency: number
  /** How often the worker will send HEARTBEAT. */
  readonly heartbeatMs: number
  readonly replicas: Replicas
  readonly affinity: Affinity
  /** Calls that still run from before the connection was lost; they use credits until their final frame. [CB-18] */
  readonly held: readonly CallId[]
  /** JSON: {@link Definitions}. */
  readonly body: Uint8Array
}

export interface Welcome {
  readonly type: 'welcome'
  readonly epoch: HubEpoch
  readonly now: number
  /** True once the proof was right: the worker's bytes are taken as they are, and it may hold a reserved name. */
  readonly trusted: boolean
  /** JSON: {@link DefinitionVerdicts}. */
  readonly body: Uint8Array
}

export type RejectCode =
  | 'unsupported_version'
  | 'unknown_peer'
  | 'bad_proof'
  | 'proof_required'
  | 'key_required'
  | 'key_refused'
  | 'not_authorized'
  | 'duplicate_instance'
  | 'service_conflict'
  | 'too_many_workers'
  | 'invalid_definitions'
  | 'protocol_error'
  | 'shutting_down'

/** The peer is not signed in (any more). `unknown_peer` means: start again at HELLO, at once. */
export interface Reject {
  readonly type: 'reject'
  readonly code: RejectCode
  readonly message: string
  /** Absent: trying again without a change is pointless. */
  readonly retryAfterMs?: number
}

/** Definitions changed: all of them, or, with `session`, what that session sees of them. */
export interface Update {
  readonly type: 'update'
  readonly epoch: HubEpoch
  readonly session?: string
  /** JSON: {@link Definitions}, or with `session` {@link SessionView}. */
  readonly body: Uint8Array
}

// Calls of agents ----------------------------------------------------------------------------------------------------

export interface Request {
  readonly type: 'request'
  readonly id: CallId
  readonly method: WorkerMethod
  /** Tool or prompt name, resource URI, or the reference of a completion. */
  readonly name: string
  readonly deadline: number
  readonly idempotencyKey: string
  readonly caller: Caller
  readonly client: Client
  readonly traceparent?: string
  readonly tracestate?: string
  /** JSON: the MCP params. */
  readonly body: Uint8Array
}

export type NotStartedReason = 'draining' | 'expired' | 'over_credit' | 'foreign_epoch' | 'not_signed_in' | 'stale'

/** The final frame of a call: exactly one. `result`: JSON result; `error`: JSON-RPC error object; `not_started`: no effect. */
export type Response =
  | {
      readonly type: 'response'
      readonly id: CallId
      readonly outcome: 'result'
      readonly isError?: boolean
      readonly body: Uint8Array
    }
  | { readonly type: 'response'; readonly id: CallId; readonly outcome: 'error'; readonly body: Uint8Array }
  | {
      readonly type: 'response'
      readonly id: CallId
      readonly outcome: 'not_started'
      readonly reason: NotStartedReason
    }

/** JSON body: `{ progress, total?, message? }`. Also hub → worker, with the worker's own id of its CALL. */
export interface Progress {
  readonly type: 'progress'
  readonly id: string
  readonly body: Uint8Array
}

/** JSON body: `{ logger?, data }`. With an id it goes to the client of that call, without one to the hub's log. */
export interface Log {
  readonly type: 'log'
  readonly id?: CallId
  readonly level: LogLevel
  readonly body: Uint8Array
}

/** Suspends the call until RESUME or CANCEL. JSON body: `{ inputRequests: { [key]: { method, params } } }`. */
export interface InputRequired {
  readonly type: 'input_required'
  readonly id: CallId
  /** How long the worker would wait; the hub's own limit holds beside it. */
  readonly timeoutMs: number
  readonly body: Uint8Array
}

/** JSON body: `{ inputResponses: { [key]: result } }`. */
export interface Resume {
  readonly type: 'resume'
  readonly id: CallId
  readonly deadline: number
  /** Who hears of the call from now on; absent: whoever did before. */
  readonly client?: Client
  readonly body: Uint8Array
}

export type CancelReason =
  | 'cancelled'
  | 'deadline_exceeded'
  | 'disconnected'
  | 'input_abandoned'
  | 'draining'
  | 'unknown_call'

/** Hub → worker for a REQUEST (the worker still answers with its final RESPONSE); worker → hub for its own CALL. */
export interface Cancel {
  readonly type: 'cancel'
  readonly id: string
  readonly reason: CancelReason
}

// Calls of workers ---------------------------------------------------------------------------------------------------

export interface Call {
  readonly type: 'call'
  readonly epoch: HubEpoch
  /** Chosen by the worker, unique among its open CALLs. */
  readonly id: string
  readonly method: CallMethod
  readonly name: string
  /** A call that this worker now holds; the hub derives the caller from it. Either this or `token`. */
  readonly parent?: CallId
  readonly token?: string
  readonly deadline?: number
  readonly idempotencyKey?: string
  readonly progress: boolean
  readonly body: Uint8Array
}

/** Why the hub could not get an answer; the codes that agents see. */
export type RoutingFailureCode =
  | 'unavailable'
  | 'overloaded'
  | 'rate_limited'
  | 'deadline_exceeded'
  | 'outcome_unknown'
  | 'cancelled'
  | 'deadlock'
  | 'depth_exceeded'
  | 'request_too_large'
  | 'result_too_large'
  | 'not_found'
  | 'forbidden'
  | 'internal'

export interface RoutingFailure {
  readonly code: RoutingFailureCode
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/** The answer to a CALL: exactly one. */
export type Result =
  | { readonly type: 'result'; readonly id: string; readonly outcome: 'result' | 'error'; readonly body: Uint8Array }
  | { readonly type: 'result'; readonly id: string; readonly outcome: 'failure'; readonly failure: RoutingFailure }

// Everything else ----------------------------------------------------------------------------------------------------

/** `resource_updated` names a URI; the list of it may have changed for everyone or for one session. */
export interface Event {
  readonly type: 'event'
  readonly epoch: HubEpoch
  readonly kind: 'resource_updated' | 'tools_changed' | 'resources_changed' | 'prompts_changed'
  readonly uri?: string
  readonly session?: string
}

export interface Subscribe {
  readonly type: 'subscribe' | 'unsubscribe'
  readonly uri: string
  readonly session: string
}

export interface SessionNotice {
  readonly type: 'roots_changed' | 'session_closed'
  readonly session: string
}

/** Which sessions live, after the hub came back. JSON body: `{ sessions: string[] }`. */
export interface Sessions {
  readonly type: 'sessions'
  readonly body: Uint8Array
}

/** Worker → hub. */
export interface Heartbeat {
  readonly type: 'heartbeat'
  readonly epoch: HubEpoch
  readonly serial: number
  /** The worker's own clock. */
  readonly sentAt: number
  /** Calls held. */
  readonly load: number
  /** An auto-started hub does not end before this. */
  readonly holdUntil?: number
}

/** Hub → worker, at once, with the worker's numbers echoed. */
export interface HeartbeatEcho {
  readonly type: 'heartbeat_echo'
  readonly serial: number
  readonly sentAt: number
  readonly now: number
}

/** Whoever gets one that is no acknowledgement acknowledges it. */
export interface Drain {
  readonly type: 'drain'
  readonly epoch: HubEpoch
  readonly drainMs: number
  readonly acknowledged: boolean
  /** Hub → worker: it is the hub that ends, and the worker waits for the next one. [CB-78] */
  readonly hubEnds?: boolean
}

export interface Bye {
  readonly type: 'bye'
  readonly epoch: HubEpoch
}

export type FromWorker =
  | Hello
  | Ready
  | Update
  | Response
  | Progress
  | Log
  | InputRequired
  | Call
  | Cancel
  | Event
  | Heartbeat
  | Drain
  | Bye
export type FromHub =
  | Challenge
  | Welcome
  | Reject
  | Request
  | Cancel
  | Resume
  | Result
  | Progress
  | Subscribe
  | SessionNotice
  | Sessions
  | HeartbeatEcho
  | Drain
  | Bye
export type Message = FromWorker | FromHub
export type MessageType = Message['type']

// JSON bodies that both ends read -------------------------------------------------------------------------------------

/** What a worker offers. Each entry is the MCP definition as the agent will see it; `_meta["callboard/…"]` keys steer the hub. */
export interface Definitions {
  readonly tools?: readonly ToolDefinition[]
  readonly resources?: readonly { readonly uri: string; readonly name: string; readonly [key: string]: unknown }[]
  readonly resourceTemplates?: readonly {
    readonly uriTemplate: string
    readonly name: string
    readonly [key: string]: unknown
  }[]
  readonly prompts?: readonly { readonly name: string; readonly [key: string]: unknown }[]
  /** References that `completion/complete` may be asked for: prompt names and URI templates. */
  readonly completions?: readonly string[]
}

export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly outputSchema?: { readonly [key: string]: unknown }
  readonly annotations?: {
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
    readonly [key: string]: unknown
  }
  readonly _meta?: { readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

export type DefinitionKind = 'tool' | 'resource' | 'resourceTemplate' | 'prompt'

/** Every definition that was refused, and why; all others were accepted. */
export interface DefinitionVerdicts {
  readonly refused: readonly {
    readonly kind: DefinitionKind
    readonly name: string
    readonly code: 'name_taken' | 'invalid' | 'quarantined' | 'not_authorized' | 'held_back'
    readonly message: string
    /** The service that holds the name. */
    readonly holder?: string
  }[]
}

/** What one session sees of a worker's definitions, where it is not what everybody sees: names, URIs, and tools. */
export interface SessionView {
  readonly hiddenTools?: readonly string[]
  readonly hiddenPrompts?: readonly string[]
  readonly hiddenResources?: readonly string[]
  /** Of the tools with `callboard/listed` false in their `_meta`. */
  readonly shownTools?: readonly string[]
  /** Tools that exist for this session alone. */
  readonly tools?: readonly ToolDefinition[]
}
