import type { Affinity, Caller, Client, LogLevel, Replicas, ToolDefinition } from '@callboard/protocol'
import type { z } from 'zod'
import type { SignInRefused, ToolError } from './errors.js'
import type { Result } from './results.js'
import type { WorkerKeys } from './worker-keys.js'

/** What a worker says of itself. Everything but the first two has a sane default. */
export interface WorkerOptions {
  /** `[a-z][a-z0-9-]{0,31}`; workers of one service are replicas of each other. */
  readonly service: string
  readonly version: string
  /** Calls held at once (1 to 4096, default 16). */
  readonly concurrency?: number
  readonly replicas?: Replicas
  /** Which calls must stay on one instance (default `none`). */
  readonly affinity?: Affinity
  /** How long calls may go on after a drain was asked for (default 30,000). */
  readonly drainMs?: number
  /** UTC ms until which an auto-started hub must not end; asked at each heartbeat. */
  readonly holdUntil?: () => number | undefined
  /** The shape of this worker's own errors; default: `error: { code, message, retryable }`. */
  readonly formatError?: (
    error: ToolError,
    tool: { readonly name: string; readonly hasOutputSchema: boolean },
  ) => ToolResult
}

/** For whom something is meant, how much it matters (0 to 1), and when it last changed (ISO 8601). */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[]
  readonly priority?: number
  readonly lastModified?: string
  readonly [key: string]: unknown
}

export interface Icon {
  readonly src: string
  readonly mimeType?: string
  readonly sizes?: readonly string[]
  readonly [key: string]: unknown
}

interface ContentExtras {
  readonly annotations?: Annotations
  readonly _meta?: { readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

export interface ResourceLink extends ContentExtras {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** Of the content as it is, in bytes: before base64. */
  readonly size?: number
  readonly icons?: readonly Icon[]
}

/** MCP content, as the protocol has it. */
export type Content =
  | (ContentExtras & { readonly type: 'text'; readonly text: string })
  | (ContentExtras & { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string })
  | ResourceLink
  | (ContentExtras & { readonly type: 'resource'; readonly resource: ResourceContents })

export type ResourceContents =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string; readonly [key: string]: unknown }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string; readonly [key: string]: unknown }

/** An MCP tool result as it goes to the agent. */
export interface ToolResult {
  readonly content: readonly Content[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: { readonly [key: string]: unknown }
}

/**
 * What a tool handler may return: a plain value (a string becomes text; anything else JSON text, and an object
 * structuredContent too), MCP content, or both by {@link result}. A tool with an `output` schema returns the value or a
 * {@link result}; what it returns bare is never taken for content.
 */
export type ToolReturn<Output> = Output | Content | readonly Content[] | Result<Output>

/** What every handler gets beside its input. */
export interface Context {
  readonly callId: string
  readonly caller: Caller
  /** May change when a suspended call resumes: a modern client brings its answers in a request of its own. */
  readonly client: Client
  /** Aborted on cancel, deadline, drain's end and loss of the hub; `signal.reason` is an Error that says which. */
  readonly signal: AbortSignal
  /** UTC ms by this machine's clock. Moves when a suspended call resumes: read it when needed. */
  readonly deadline: number
  readonly idempotencyKey: string
  /** W3C Trace Context and Baggage of the agent's request, to be passed on to whatever the handler calls. */
  readonly traceparent?: string
  readonly tracestate?: string
  readonly baggage?: string
  /** The request's `_meta`, reserved keys left out. */
  readonly meta: { readonly [key: string]: unknown }
  progress(progress: number, total?: number, message?: string): void
  log(level: LogLevel, data: unknown, logger?: string): void
  /** Calls another worker's tool as part of this call; the result is the MCP tool result. Rejects with a CallFailure. */
  call(tool: string, args?: { readonly [key: string]: unknown }, options?: CallOptions): Promise<ToolResult>
  /** The catalogue as this call's caller sees it. */
  tools(): Promise<readonly ToolDefinition[]>
  /**
   * Keeps data for this call's caller, for ten minutes or as long as there is room, and as long as this process lives;
   * a link for each part of it, in order. Text is cut between characters, bytes between bytes. Throws a ToolError
   * `result_too_large` beyond 64 MiB, or when there is no room.
   */
  keep(data: string | Uint8Array, what: { readonly name: string; readonly mimeType?: string }): readonly ResourceLink[]
  /**
   * Asks the person at the client. Rejects with ToolError `input_unsupported` at once when the client can't; a handler that
   * lets it pass answers a modern client with the protocol's own error for that.
   */
  elicit(request: ElicitRequest, options?: QuestionOptions): Promise<ElicitResult>
  /** The same with a form of zod, flat as MCP's forms are; what the person filled in is parsed by it. */
  elicit<Form extends z.ZodObject>(
    request: { readonly message: string; readonly form: Form },
    options?: QuestionOptions,
  ): Promise<FormResult<z.output<Form>>>
  /** Asks the model at the client. Rejects as {@link elicit} does. */
  sample(request: SampleRequest, options?: QuestionOptions): Promise<SampleResult>
  roots(options?: QuestionOptions): Promise<readonly { readonly uri: string; readonly name?: string }[]>
}

export interface QuestionOptions {
  /**
   * Names the question for the client, 1 to 128 characters, once per call. A modern client that knows the name may bring
   * the answer with the call itself; then nobody is asked. Default: a running number.
   */
  readonly key?: string
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly idempotencyKey?: string
  readonly onProgress?: (progress: {
    readonly progress: number
    readonly total?: number
    readonly message?: string
  }) => void
}

export type ElicitRequest =
  | { readonly message: string; readonly requestedSchema: { readonly [key: string]: unknown } }
  | { readonly message: string; readonly url: string; readonly elicitationId?: string }

export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: { readonly [key: string]: unknown }
}

export type FormResult<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel' }

/** MCP's `sampling/createMessage`: further members go to the client as they are. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: Content | readonly Content[] }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly [key: string]: unknown
}

export interface SampleResult {
  readonly role: 'user' | 'assistant'
  /** What the client's model said; a list from clients of the newer generation. */
  readonly content: Content | readonly Content[]
  readonly model: string
  readonly stopReason?: string
  readonly [key: string]: unknown
}

export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodType> {
  readonly title?: string
  readonly description: string
  /** Unknown fields are refused unless the schema is loose; objects inside it are as their author made them. */
  readonly input: Input
  readonly output?: Output
  readonly annotations?: ToolDefinition['annotations']
  /**
   * Whether agents may, or must, call it as a task: they go on meanwhile and fetch the result later. The handler does not
   * notice. Default: `forbidden`.
   */
  readonly execution?: { readonly taskSupport: 'forbidden' | 'optional' | 'required' }
  /** The JSON Schema that agents see, where a contract prescribes one; default: made from `input`. */
  readonly inputSchema?: ToolDefinition['inputSchema']
  /** How long a call may take at most (default 120,000; up to an hour). */
  readonly timeoutMs?: number
  /** Only callers with one of these roles see it. */
  readonly roles?: readonly ('agent' | 'operator')[]
  /** `false`: it is listed only for sessions whose view shows it ({@link Worker.setView}). Default: true. */
  readonly listed?: boolean
  readonly icons?: readonly Icon[]
  readonly meta?: { readonly [key: string]: unknown }
}

export interface ResourceSpec {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** In bytes, of the content as it is; for a resource, not for a template. */
  readonly size?: number
  readonly annotations?: Annotations
  readonly icons?: readonly Icon[]
  readonly meta?: { readonly [key: string]: unknown }
}

export interface PromptSpec {
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly {
    readonly name: string
    readonly title?: string
    readonly description?: string
    readonly required?: boolean
  }[]
  readonly icons?: readonly Icon[]
  readonly meta?: { readonly [key: string]: unknown }
  /** Suggests values for a half-typed argument. */
  readonly complete?: Completer
}

/** What one session sees. */
export interface View {
  readonly hide?: {
    readonly tools?: readonly string[]
    readonly prompts?: readonly string[]
    /** URIs, of templates too. */
    readonly resources?: readonly string[]
  }
  /** Of the tools that are `listed: false`; what is hidden too stays hidden. */
  readonly show?: { readonly tools?: readonly string[] }
  /** Tools of this session alone, at most 128, each name once; one stands in the place of the worker's tool of that name. */
  readonly tools?: readonly SessionTool[]
}

/** Made by `sessionTool()`; the same one may be in the views of any number of sessions. */
export interface SessionTool {
  readonly name: string
  /** What the hub is told. */
  readonly definition: ToolDefinition
}

/** Suggestions of which there are more than these. */
export interface Completion {
  readonly values: readonly string[]
  /** Of all that fit, where it is known. */
  readonly total?: number
  readonly hasMore?: boolean
}

export type Completer = (
  request: { readonly argument: string; readonly value: string; readonly known: { readonly [name: string]: string } },
  context: Context,
) => Promise<readonly string[] | Completion> | readonly string[] | Completion

/** One piece of a resource. Without a `uri` it is the one that was asked for, of the definition's `mimeType`. */
export type ResourcePart =
  | string
  | { readonly uri?: string; readonly mimeType?: string; readonly text: string; readonly [key: string]: unknown }
  /** In base64. */
  | { readonly uri?: string; readonly mimeType?: string; readonly blob: string; readonly [key: string]: unknown }

/** What a reader may return: a text, one piece or several, or MCP's own result. */
export type ResourceReturn =
  | ResourcePart
  | readonly ResourcePart[]
  | { readonly contents: readonly ResourcePart[]; readonly _meta?: { readonly [key: string]: unknown } }

/** Reads `uri`; `variables` are what the template's expressions stand for in it, decoded; none for a plain resource. */
export type ResourceReader = (
  uri: string,
  variables: { readonly [name: string]: string },
  context: Context,
) => Promise<ResourceReturn> | ResourceReturn

export interface PromptMessages {
  readonly description?: string
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly content: Content
    readonly [key: string]: unknown
  }[]
  readonly _meta?: { readonly [key: string]: unknown }
}

/** What a prompt's handler may return: a text, which is one message of the user, messages, or MCP's own result. */
export type PromptReturn = string | PromptMessages['messages'] | PromptMessages

/** A worker under definition; `run()` or `start()` brings it to life. Names may be defined, replaced and removed while it runs. */
export interface Worker {
  readonly options: WorkerOptions
  tool<Input extends z.ZodObject, Output extends z.ZodType = z.ZodUnknown>(
    name: string,
    spec: ToolSpec<Input, Output>,
    handler: (
      input: z.output<Input>,
      context: Context,
    ) => Promise<ToolReturn<z.input<Output>>> | ToolReturn<z.input<Output>>,
  ): Worker
  resource(uri: string, spec: ResourceSpec, read: ResourceReader): Worker
  /** RFC 6570 level 1 to 3 templates as MCP uses them, e.g. `weave://runs/{run_id}/images/{n}`. */
  resourceTemplate(
    uriTemplate: string,
    spec: ResourceSpec & { readonly complete?: Completer },
    read: ResourceReader,
  ): Worker
  prompt(
    name: string,
    spec: PromptSpec,
    get: (args: { readonly [name: string]: string }, context: Context) => Promise<PromptReturn> | PromptReturn,
  ): Worker
  remove(kind: 'tool' | 'prompt' | 'resource' | 'resourceTemplate', name: string): Worker
  /**
   * What one session sees other than everybody does, from now on and until it ends; `{}`: what everybody sees. What it does not
   * see it may call all the same; the handler answers in its own shape. Throws a TypeError for a view that no hub would take.
   * Does nothing while the worker does not run: then there are no sessions.
   */
  setView(session: string, view: View): void
  /** A resource that somebody may be subscribed to has changed; optionally only what one session sees of it. */
  resourceUpdated(uri: string, session?: string): void
  /**
   * Called when a session of an agent has ended for good; free what belongs to it. A listener may be async: nobody waits
   * for it, and a failure goes to the log.
   */
  onSessionClosed(listener: (session: string) => unknown): Worker
  /** Called when the roots of a session's client have changed; `context.roots()` asks for them. */
  onRootsChanged(listener: (session: string) => unknown): Worker
  /** Called with `true` while at least one session watches the URI. */
  onSubscription(listener: (uri: string, session: string, subscribed: boolean) => unknown): Worker
  /**
   * Called when the worker has signed in (`ready`), has lost its hub (`lost`; it looks for it), or was asked to finish
   * (`draining`; `ready` may follow when it was the hub that ended).
   */
  onConnection(listener: (state: ConnectionState) => unknown): Worker
  /** A background call with a token (a scheduled run that acts as its group); outside of any live call. */
  callAs(
    token: string,
    tool: string,
    args?: { readonly [key: string]: unknown },
    options?: CallOptions,
  ): Promise<ToolResult>
  /**
   * A short-lived token for an agent that this worker starts; only a trusted service with the right to mint gets one.
   * What the grant may name (agent, group, run, depth) is SPEC.md's. The answer holds `token`. Tokens end with the hub's
   * process: a grant with the `token` of before, and the time that is left, brings it back to the next hub.
   */
  mintToken(grant: { readonly [key: string]: unknown }): Promise<{ readonly [key: string]: unknown }>
  revokeToken(token: string): Promise<void>
  /** Revokes what any process of this service has minted for this attempt of a run, e.g. one that is gone. */
  revokeRunTokens(runId: string, attempt: number): Promise<void>
  /** The catalogue as the token's agent sees it. */
  toolsAs(token: string): Promise<readonly ToolDefinition[]>
  /**
   * Runs until drained (SIGTERM, SIGINT, `callboard drain`, `stop()`); exit code 0 is then the program's. When the hub ends
   * it waits for the next one. When a hub refuses the worker for good, the log says why, the exit code becomes 1, and the
   * refusal is what this resolves with.
   */
  run(options?: RunOptions): Promise<SignInRefused | undefined>
  /** Like `run`, but resolves when signed in, with a handle; installs no signal handlers. */
  start(options?: RunOptions): Promise<RunningWorker>
}

export type ConnectionState = 'ready' | 'lost' | 'draining'

export interface RunOptions {
  /** `ipc://…` or `tcp://…`; default: from the environment. */
  readonly endpoint?: string
  /** Secret for a trusted sign-in; default: from the environment. */
  readonly secret?: string
  /** For a hub on another machine; default: from the environment. */
  readonly keys?: WorkerKeys
  readonly logLevel?: string
  /** Aborting it drains. */
  readonly signal?: AbortSignal
}

export interface RunningWorker extends AsyncDisposable {
  readonly service: string
  readonly instance: string
  readonly state: 'connecting' | 'signing_in' | 'ready' | 'draining' | 'closed'
  /** Names refused by the hub, with the holder. */
  readonly refused: readonly { readonly name: string; readonly message: string }[]
  /** Drains, says BYE, closes. Idempotent. */
  stop(): Promise<void>
  /** Resolves when closed, whoever asked for it; rejects when the hub refused the worker for good. */
  readonly closed: Promise<void>
}
