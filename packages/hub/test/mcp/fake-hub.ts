import { EventEmitter, once } from 'node:events'
import type { CallId, LogLevel, ToolDefinition } from '@callboard/protocol'
import type { CallWish } from '../../src/broker/events.js'
import type { Logger } from '../../src/mcp/logger.js'
import { createMcpFront, type McpFront } from '../../src/mcp/mcp-server.js'
import type {
  AgentCall,
  CallOutcome,
  CallSink,
  Connection,
  ConnectionListener,
  HubPort,
  Identity,
  Resumption as ResumedTurn,
  ServiceStatus,
  Turn,
} from '../../src/port.js'

/** JSON as a peer sent it: a test looks into it without ceremony. */
// biome-ignore lint/suspicious/noExplicitAny: what a test reads is what it checks
export type Loose = any

export type Handler = (call: AgentCall, connection: FakeConnection) => CallOutcome | Promise<CallOutcome>
export type Resumption = (input: unknown, turn: ResumedTurn) => CallOutcome | Promise<CallOutcome>

/** A hub without workers: each name is answered by a function of the test. */
export class FakeHub implements HubPort {
  tools: ToolDefinition[] = []
  resources: { uri: string; name: string }[] = []
  resourceTemplates: { uriTemplate: string; name: string }[] = []
  prompts: { name: string }[] = []
  services: ServiceStatus[] = []
  /** By the names that agents see. */
  readonly ownNames = new Map<string, string>()
  completes = true
  known: Promise<void> = Promise.resolve()
  readonly handlers = new Map<string, Handler>()
  readonly calls: AgentCall[] = []
  /** Of them those that came without a promise, which is the direct way. */
  begun = 0
  readonly connections: FakeConnection[] = []
  readonly suspended = new Map<CallId, Resumption>()
  readonly abandoned: CallId[] = []
  /** `open`, `close`, `call`, `subscribe`, `unsubscribe`, `roots`, `abandon`. */
  readonly events = new EventEmitter()

  open(identity: Identity, listener: ConnectionListener): FakeConnection {
    const connection = new FakeConnection(this, identity, listener)
    this.connections.push(connection)
    this.events.emit('open', connection)
    return connection
  }

  tool(name: string, handler: Handler, definition: Partial<ToolDefinition> = {}): void {
    // A list that changes is another one, as the hub has it.
    this.tools = [...this.tools, { name, inputSchema: { type: 'object' }, ...definition }]
    this.handlers.set(name, handler)
  }

  /** A tool whose call is open until the test gives its outcome, by what is returned, or somebody cancels it. */
  held(name: string, definition: Partial<ToolDefinition> = {}): (outcome: CallOutcome) => void {
    let finish: (outcome: CallOutcome) => void = () => {}
    const given = () =>
      new Promise<CallOutcome>((resolve) => {
        finish = resolve
      })
    this.tool(name, ({ signal }) => Promise.race([untilAborted(signal), given()]), definition)
    return (outcome) => finish(outcome)
  }

  get live(): FakeConnection[] {
    return this.connections.filter(({ closed }) => !closed)
  }

  async next(event: string): Promise<unknown> {
    return (await once(this.events, event))[0]
  }
}

export class FakeConnection implements Connection {
  readonly identity: Identity
  readonly listener: ConnectionListener
  readonly subscriptions = new Set<string>()
  closed = false
  readonly #hub: FakeHub

  constructor(hub: FakeHub, identity: Identity, listener: ConnectionListener) {
    this.#hub = hub
    this.identity = identity
    this.listener = listener
  }

  catalogueKnown = () => this.#hub.known
  tools = () => this.#hub.tools
  tool = (name: string) => {
    const definition = this.#hub.tools.find((tool) => tool.name === name)
    return definition && { service: 'fake', workerName: this.#hub.ownNames.get(name) ?? name, definition }
  }
  resources = () => this.#hub.resources
  resourceTemplates = () => this.#hub.resourceTemplates
  prompts = () => this.#hub.prompts
  completes = () => this.#hub.completes
  services = () => this.#hub.services

  async call(call: AgentCall): Promise<CallOutcome> {
    this.#hub.calls.push(call)
    this.#hub.events.emit('call', call)
    return (await this.#hub.handlers.get(call.name)?.(call, this)) ?? { kind: 'unknown' }
  }

  readonly #turns: AbortController[] = []

  begin({ ...wish }: CallWish, sink: CallSink): Turn {
    this.#hub.begun++
    const abort = new AbortController()
    const listeners = {
      onProgress: (body: Uint8Array) => sink.onProgress?.(body),
      onLog: (level: LogLevel, body: Uint8Array) => sink.onLog?.(level, body),
    }
    this.call({ ...wish, ...listeners, signal: abort.signal }).then(
      (outcome) => sink.settled(outcome),
      (error) =>
        setImmediate(() => {
          throw error
        }),
    )
    return this.#turns.push(abort) - 1
  }

  cancel(turn: Turn): void {
    this.#turns[turn]?.abort()
  }

  async resume(id: CallId, body: Uint8Array, turn: ResumedTurn = {}): Promise<CallOutcome> {
    const resumption = this.#hub.suspended.get(id)
    this.#hub.suspended.delete(id)
    return (await resumption?.(parsed(body), turn)) ?? { kind: 'unknown' }
  }

  abandon(id: CallId): void {
    this.#hub.suspended.delete(id)
    this.#hub.abandoned.push(id)
    this.#hub.events.emit('abandon', id)
  }

  subscribe(uri: string): void {
    this.subscriptions.add(uri)
    this.#hub.events.emit('subscribe', uri)
  }

  unsubscribe(uri: string): void {
    this.subscriptions.delete(uri)
    this.#hub.events.emit('unsubscribe', uri)
  }

  rootsChanged(): void {
    this.#hub.events.emit('roots', this)
  }

  /** To clients of both generations. */
  listChanged(kind: 'tools' | 'resources' | 'prompts'): void {
    for (const scope of ['session', 'principal'] as const) this.listener.listChanged(kind, scope)
  }

  close(): void {
    this.closed = true
    this.#hub.events.emit('close', this)
  }

  leave(): void {
    this.close()
  }
}

export const identity: Identity = { session: 'session-1', principal: 'agent:main', roles: ['agent'], group: 'main' }

export function frontOf(hub: HubPort, options: { pageSize?: number; log?: Logger } = {}): McpFront {
  return createMcpFront({ hub, log: silent, version: '1.2.3', ...options })
}

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export function parsed(body: Uint8Array): Loose {
  return JSON.parse(Buffer.from(body).toString())
}

export function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

export function result(value: object): CallOutcome {
  return { kind: 'result', body: json(value), isError: false, trusted: false }
}

export function text(content: string): CallOutcome {
  return result({ content: [{ type: 'text', text: content }] })
}

/** Settles when the caller has given the call up. */
export function untilAborted(signal: AbortSignal | undefined): Promise<CallOutcome> {
  const failure = { code: 'cancelled', message: 'cancelled', retryable: false } as const
  return new Promise((resolve) => {
    const end = () => resolve({ kind: 'failure', failure })
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
