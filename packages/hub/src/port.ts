import type {
  Caller,
  CallId,
  Client,
  LogLevel,
  Role,
  RoutingFailure,
  ToolDefinition,
  WorkerMethod,
} from '@callboard/protocol'

/** Who an agent's connection is, after authentication. Several connections may be one session. */
export interface Identity {
  /** Unguessable and stable over reconnects. */
  readonly session: string
  readonly principal: string
  readonly roles: readonly Role[]
  readonly group?: string
  /** Only these services exist for it; absent: all. */
  readonly services?: readonly string[]
  /** The scheduled run that this agent is, if it is one. */
  readonly run?: Caller['run']
}

/** What an MCP front end needs of the hub: this and nothing else crosses between the MCP SDK and the broker. */
export interface HubPort {
  open(identity: Identity, listener: ConnectionListener): Connection
}

/** What comes to a connection unasked, possibly from within one of its own methods: answer later, don't call back at once. */
export interface ConnectionListener {
  listChanged(kind: 'tools' | 'resources' | 'prompts'): void
  resourceUpdated(uri: string): void
}

/** One agent's connection. All lists come from memory, in a stable order, already filtered for this session. */
export interface Connection {
  readonly identity: Identity
  /** Resolves once the catalogue is known: at once, or within the start-up grace when no worker was ever seen. */
  catalogueKnown(): Promise<void>
  tools(): readonly ToolDefinition[]
  resources(): readonly { readonly uri: string; readonly name: string; readonly [key: string]: unknown }[]
  resourceTemplates(): readonly {
    readonly uriTemplate: string
    readonly name: string
    readonly [key: string]: unknown
  }[]
  prompts(): readonly { readonly name: string; readonly [key: string]: unknown }[]
  /** Whether anyone answers `completion/complete`. */
  completes(): boolean
  /** Never rejects: whatever happens is an outcome. Aborting `signal` cancels the call. */
  call(call: AgentCall): Promise<CallOutcome>
  /** Goes on with a call that asked for input; the outcome is that of the same call. Body: `{ inputResponses }`. */
  resume(id: CallId, body: Uint8Array, signal?: AbortSignal): Promise<CallOutcome>
  /** Gives up a call that asked for input. */
  abandon(id: CallId): void
  subscribe(uri: string): void
  unsubscribe(uri: string): void
  rootsChanged(): void
  /** The connection is gone: its calls are cancelled, its subscriptions end; the session ends when it was the last one. */
  close(): void
}

export interface AgentCall {
  readonly method: WorkerMethod
  readonly name: string
  /** UTF-8 JSON of the MCP params, passed on untouched. */
  readonly body: Uint8Array
  readonly client: Client
  /** How long at most; the definition's own limit holds beside it. */
  readonly timeoutMs?: number
  readonly idempotencyKey?: string
  readonly traceparent?: string
  readonly tracestate?: string
  readonly signal?: AbortSignal
  /** UTF-8 JSON `{ progress, total?, message? }`. */
  readonly onProgress?: (body: Uint8Array) => void
  /** UTF-8 JSON `{ logger?, data }`; only what the client's level asks for. */
  readonly onLog?: (level: LogLevel, body: Uint8Array) => void
}

export type CallOutcome =
  /** UTF-8 JSON of the MCP result. */
  | { readonly kind: 'result'; readonly body: Uint8Array; readonly isError: boolean; readonly trusted: boolean }
  /** UTF-8 JSON of a JSON-RPC error object, the worker's own. */
  | { readonly kind: 'error'; readonly body: Uint8Array }
  /** The hub could not get an answer. */
  | { readonly kind: 'failure'; readonly failure: RoutingFailure }
  /** No such tool, prompt or resource for this caller. */
  | { readonly kind: 'unknown' }
  /** UTF-8 JSON `{ inputRequests }`; go on with {@link Connection.resume} or cancel by the signal. */
  | { readonly kind: 'input_required'; readonly id: CallId; readonly body: Uint8Array }
