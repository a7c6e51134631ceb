import type { Caller, CallId, Client, LogLevel, Role, RoutingFailure, ToolDefinition } from '@callboard/protocol'
import type { CallWish } from './broker/events.js'
import type { ToolFilter } from './broker/tool-filter.js'

/** Who an agent's connection is, after authentication. Several connections may be one session. */
export interface Identity {
  /** Unguessable and stable over reconnects. */
  readonly session: string
  readonly principal: string
  readonly roles: readonly Role[]
  readonly group?: string
  /** Only these services exist for it; absent: all. */
  readonly services?: readonly string[]
  /** What it wants of the catalogue in its context; absent: everything that it may use. */
  readonly view?: CatalogueView
  /** The scheduled run that this agent is, if it is one. */
  readonly run?: Caller['run']
  /** What it showed, by a name that is no secret, where that can be revoked while it is in use. */
  readonly credential?: string
  /** UTC ms: when what it showed is over and past renewal; absent: whoever accepted it ends it. */
  readonly until?: number
}

/**
 * What of the catalogue is in an agent's lists, as the configuration and its client chose: it saves context, and is no
 * boundary, because a worker that acts for the agent is not bound by it.
 */
export interface CatalogueView {
  /** A tool that one of them does not let pass does not exist for the agent. */
  readonly filters: readonly ToolFilter[]
  /** How the tools are listed. `auto`: by search when all of them would take more than `searchAboveTokens`. */
  readonly mode: 'all' | 'auto' | 'search'
  readonly searchAboveTokens: number
  /** Patterns of the tools that are listed beside the search. */
  readonly pinned: readonly string[]
}

/** What an MCP front end needs of the hub: this and nothing else crosses between the MCP SDK and the broker. */
export interface HubPort {
  open(identity: Identity, listener: ConnectionListener): Connection
}

/** What comes to a connection unasked, possibly from within one of its own methods: answer later, don't call back at once. */
export interface ConnectionListener {
  /** `scope`: which of the two lists changed; a client has one of them, by its generation. */
  listChanged(kind: 'tools' | 'resources' | 'prompts', scope: ListScope): void
  resourceUpdated(uri: string): void
  /** The hub has closed the connection: what it stood on has ended. */
  ended(): void
}

/**
 * Whose list. A legacy client's is its session's. A modern one's may not vary by connection: it is what any live session of
 * its principal sees.
 */
export type ListScope = 'session' | 'principal'

/** A tool as the hub knows it. */
export interface KnownTool {
  readonly service: string
  /** As the worker named it. */
  readonly workerName: string
  readonly definition: ToolDefinition
}

/** One agent's connection. All lists come from memory, in a stable order; each is the same object while it does not change. */
export interface Connection {
  readonly identity: Identity
  /** Resolves once the catalogue is known: at once, or within the start-up grace when no worker was ever seen. */
  catalogueKnown(): Promise<void>
  tools(scope: ListScope): readonly ToolDefinition[]
  /** The tool that a call by this name reaches, listed or not. */
  tool(name: string): KnownTool | undefined
  resources(
    scope: ListScope,
  ): readonly { readonly uri: string; readonly name: string; readonly [key: string]: unknown }[]
  resourceTemplates(scope: ListScope): readonly {
    readonly uriTemplate: string
    readonly name: string
    readonly [key: string]: unknown
  }[]
  prompts(scope: ListScope): readonly { readonly name: string; readonly [key: string]: unknown }[]
  /** The services that exist for this identity, with or without workers, in a stable order. */
  services(): readonly ServiceStatus[]
  /**
   * Whether anyone answers `completion/complete`; also true while workers are on their way. A client is told once, when it
   * connects: one that is told too much gets an error for a completion, one that is told too little never asks.
   */
  completes(): boolean
  /** Never rejects: whatever happens is an outcome. Aborting `signal` cancels the call. */
  call(call: AgentCall): Promise<CallOutcome>
  /** As {@link call}, at the least cost: without a promise and a signal. Returns what {@link cancel} takes. */
  begin(call: CallWish, sink: CallSink): Turn
  /** `settled` is called with `cancelled`, unless it was called before. */
  cancel(turn: Turn): void
  /** Goes on with a call that asked for input; the outcome is that of the same call. Body: `{ inputResponses }`. */
  resume(id: CallId, body: Uint8Array, turn?: Resumption): Promise<CallOutcome>
  /** Gives up a call that asked for input. */
  abandon(id: CallId): void
  subscribe(uri: string): void
  unsubscribe(uri: string): void
  rootsChanged(): void
  /** The connection is gone: its calls are cancelled, its subscriptions end; the session ends when it was the last one. */
  close(): void
  /** The same, from a client that says it will not come back: a session that nobody else is in ends at once. */
  leave(): void
}

export interface ServiceStatus {
  readonly service: string
  /** Of its best worker; `away`: there is none at present. */
  readonly state: 'ready' | 'suspect' | 'draining' | 'away'
}

/** What comes of a call before its outcome, or before its next question. */
export interface CallListeners {
  /** UTF-8 JSON `{ progress, total?, message? }`. */
  readonly onProgress?: (body: Uint8Array) => void
  /** UTF-8 JSON `{ logger?, data }`; only what the client's level asks for. */
  readonly onLog?: (level: LogLevel, body: Uint8Array) => void
}

/** Hears of one turn of a call, from within the hub: nothing of it may throw. */
export interface CallSink extends CallListeners {
  /** The turn is over: called once, possibly before {@link Connection.begin} has returned. */
  settled(outcome: CallOutcome): void
}

/** One turn of a call. */
export type Turn = number

/** Who waits for one turn of a call, and hears of it. */
export interface TurnListener extends CallListeners {
  readonly signal?: AbortSignal
}

export interface Resumption extends TurnListener {
  /** What the client says of itself now, which holds from here on; absent: what it said before. */
  readonly client?: Client
}

export interface AgentCall extends CallWish, TurnListener {}

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
