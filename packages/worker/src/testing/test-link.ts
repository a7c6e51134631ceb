import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Caller,
  type Client,
  type Definitions,
  deadlineMsDefault,
  type Event as EventMessage,
  type Message,
  type SessionView,
  type ToolDefinition,
  type WorkerMethod,
} from '@callboard/protocol'
import type { PromptMessages, ResourceContents, ToolResult, Worker } from '../api.js'
import { DefinedWorker } from '../define-worker.js'
import { decodeJson, encodeJson, isRecord } from '../json-body.js'
import type { LiveWorker } from '../live-worker.js'
import { RpcError } from '../rpc-error.js'
import type { InputQuestion } from '../session-messages.js'
import { SteadyClock } from '../steady-clock.js'
import { listedTools } from './listed-tools.js'
import type { NestedCall, NestedCallStub } from './nested-calls.js'
import { type Agent, type LogEntry, type ProgressUpdate, TestHub } from './test-hub.js'

export interface TestLinkOptions {
  /** UTC ms; default: the real clock. */
  readonly now?: () => number
  readonly heartbeatMs?: number
  /** Other workers' tools, by name. */
  readonly calls?: { readonly [name: string]: NestedCallStub }
  /** What `context.tools()` finds. */
  readonly tools?: readonly ToolDefinition[]
}

export interface TestCallOptions extends Partial<Omit<Caller, 'roles'>> {
  readonly roles?: Caller['roles']
  readonly client?: Partial<Client>
  /** What the person at the client says: one result after the other, or a function of the question. */
  readonly answers?: readonly unknown[] | ((question: InputQuestion) => unknown)
  /** Answers that come with the call, by the names of their questions. */
  readonly brought?: { readonly [key: string]: unknown }
  readonly onProgress?: (update: ProgressUpdate) => void
  readonly onLog?: (entry: LogEntry) => void
  /** Aborting it cancels the call; the promise then settles with what the handler makes of it. */
  readonly signal?: AbortSignal
  /** Default: the tool's `timeoutMs`, else the hub's. */
  readonly timeoutMs?: number
  readonly idempotencyKey?: string
  readonly traceparent?: string
  readonly meta?: { readonly [key: string]: unknown }
}

export interface CompletionRequest {
  readonly argument: string
  readonly value: string
  readonly known?: { readonly [name: string]: string }
}

export interface TestToolResult<Structured> extends ToolResult {
  readonly structuredContent?: Structured
}

/** A signed-in worker in the hands of a test. `await using` closes it, or `close()`. */
export interface TestLink extends AsyncDisposable {
  /** What the hub was told last. */
  readonly definitions: Definitions
  /** What `setView()` told about a session that lives. */
  viewOf(session: string): SessionView | undefined
  /** The tools in the list of a session, in order and as its agent gets them; `roles`: the agent's, by default `agent`. */
  toolsOf(session: string, roles?: Caller['roles']): readonly ToolDefinition[]
  /** EVENTs so far, e.g. of `resourceUpdated()`. */
  readonly events: readonly EventMessage[]
  /** Calls that the worker made, in order. */
  readonly calls: readonly NestedCall[]
  /** Exceptions that agents saw as `internal`, and what listeners threw. */
  readonly internalErrors: readonly unknown[]
  /** UTC ms until which the worker wants the hub to stay, as of its last heartbeat. */
  readonly holdUntil: number | undefined
  /** Rejects with an {@link RpcError} where an agent would get a JSON-RPC error. */
  callTool<Structured = unknown>(
    name: string,
    args?: { readonly [key: string]: unknown },
    options?: TestCallOptions,
  ): Promise<TestToolResult<Structured>>
  readResource(uri: string, options?: TestCallOptions): Promise<readonly ResourceContents[]>
  getPrompt(
    name: string,
    args?: { readonly [name: string]: string },
    options?: TestCallOptions,
  ): Promise<PromptMessages>
  /** `reference`: a prompt's name or a resource template. */
  complete(reference: string, request: CompletionRequest, options?: TestCallOptions): Promise<readonly string[]>
  subscribe(uri: string, session?: string): Promise<void>
  unsubscribe(uri: string, session?: string): Promise<void>
  changeRoots(session?: string): Promise<void>
  closeSession(session?: string): Promise<void>
  /** The connection is lost and comes back: to the same hub, or to a restarted one that names the sessions that live. */
  reconnect(restarted?: { readonly sessions: readonly string[] }): Promise<void>
  /** Resolves when what the worker had to say in this turn of the loop has arrived. */
  settled(): Promise<void>
  /** Drains the worker. Rejects when it sent something that no hub would take. */
  close(): Promise<void>
}

/** Signs a worker in to a hub inside the test: no socket, no environment, no process. */
export async function connectForTest(worker: Worker, options: TestLinkOptions = {}): Promise<TestLink> {
  if (!(worker instanceof DefinedWorker)) throw new TypeError('connectForTest takes what defineWorker() returns')
  const { now, heartbeatMs, calls = {}, tools = [] } = options
  const steady = new SteadyClock()
  const clock = now === undefined ? steady : { now, toUtc: (time: number) => time }
  const hub = new TestHub({ now: () => clock.now(), calls, tools })
  const internalErrors: unknown[] = []
  const live = worker.connect({
    link: hub,
    clock,
    routingId: `${worker.options.service}/test`,
    instance: 'test',
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    log: silentLog(internalErrors),
  })
  await live.ready
  return new WorkerLink(hub, live, internalErrors, () => clock.now())
}

/** The text of a result's content, blocks joined by line feeds. */
export function textOf(result: Pick<ToolResult, 'content'>): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

const defaultSession = 'session-1'

class WorkerLink implements TestLink {
  readonly internalErrors: readonly unknown[]
  readonly #hub: TestHub
  readonly #live: LiveWorker
  readonly #now: () => number
  #serial = 0
  #restarts = 1

  constructor(hub: TestHub, live: LiveWorker, internalErrors: readonly unknown[], now: () => number) {
    this.#hub = hub
    this.#live = live
    this.internalErrors = internalErrors
    this.#now = now
  }

  get definitions(): Definitions {
    return this.#hub.definitions
  }

  get events(): readonly EventMessage[] {
    return this.#hub.events
  }

  get calls(): readonly NestedCall[] {
    return this.#hub.nested.seen
  }

  get holdUntil(): number | undefined {
    return this.#hub.lastHeartbeat?.holdUntil
  }

  viewOf(session: string): SessionView | undefined {
    return this.#hub.views.get(session)
  }

  toolsOf(session: string, roles: Caller['roles'] = ['agent']): readonly ToolDefinition[] {
    return listedTools(this.definitions.tools ?? [], this.viewOf(session) ?? {}, roles)
  }

  async callTool<Structured = unknown>(
    name: string,
    args: { readonly [key: string]: unknown } = {},
    options: TestCallOptions = {},
  ): Promise<TestToolResult<Structured>> {
    return (await this.#ask('tools/call', name, { name, arguments: args }, options)) as TestToolResult<Structured>
  }

  async readResource(uri: string, options: TestCallOptions = {}): Promise<readonly ResourceContents[]> {
    const { contents } = (await this.#ask('resources/read', uri, { uri }, options)) as { contents: ResourceContents[] }
    return contents
  }

  async getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options: TestCallOptions = {},
  ): Promise<PromptMessages> {
    return (await this.#ask('prompts/get', name, { name, arguments: args }, options)) as PromptMessages
  }

  async complete(
    reference: string,
    { argument, value, known = {} }: CompletionRequest,
    options: TestCallOptions = {},
  ): Promise<readonly string[]> {
    const ref = reference.includes(':')
      ? { type: 'ref/resource', uri: reference }
      : { type: 'ref/prompt', name: reference }
    const params = { ref, argument: { name: argument, value }, context: { arguments: known } }
    const answer = await this.#ask('completion/complete', reference, params, options)
    return (answer as { completion: { values: string[] } }).completion.values
  }

  async subscribe(uri: string, session = defaultSession): Promise<void> {
    await this.#tell({ type: 'subscribe', uri, session })
  }

  async unsubscribe(uri: string, session = defaultSession): Promise<void> {
    await this.#tell({ type: 'unsubscribe', uri, session })
  }

  async changeRoots(session = defaultSession): Promise<void> {
    await this.#tell({ type: 'roots_changed', session })
  }

  async closeSession(session = defaultSession): Promise<void> {
    this.#hub.views.delete(session)
    await this.#tell({ type: 'session_closed', session })
  }

  async reconnect(restarted?: { readonly sessions: readonly string[] }): Promise<void> {
    this.#hub.reconnect(restarted === undefined ? this.#hub.epoch : `testhub000${++this.#restarts}`)
    while (this.#live.state !== 'ready' && this.#live.state !== 'closed') await nextTurn()
    if (restarted !== undefined)
      await this.#tell({ type: 'sessions', body: encodeJson({ sessions: restarted.sessions }) })
  }

  async settled(): Promise<void> {
    // Twice: the first turn sends what was gathered, the second brings what it caused.
    await nextTurn()
    await nextTurn()
  }

  async close(): Promise<void> {
    await this.#live.stop()
    const { faults } = this.#hub
    if (faults.length > 0) throw new Error(`The worker sent what no hub would take:\n  ${faults.join('\n  ')}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #tell(message: Parameters<TestHub['deliver']>[0]): Promise<void> {
    this.#hub.deliver(message)
    await this.settled()
  }

  #ask(
    method: WorkerMethod,
    name: string,
    params: { readonly [key: string]: unknown },
    options: TestCallOptions,
  ): Promise<unknown> {
    const id = `${this.#hub.epoch}-${++this.#serial}`
    const { signal, idempotencyKey = id, traceparent, meta, brought } = options
    const deadlineMs = options.timeoutMs ?? this.#timeoutOf(method, name, options.session)
    const sent = {
      ...params,
      ...(meta === undefined ? {} : { _meta: meta }),
      ...(brought === undefined ? {} : { inputResponses: brought }),
    }
    return new Promise((resolve, reject) => {
      const settle: Agent['settle'] = (response) => settleWith(response, resolve, reject)
      const request = {
        type: 'request',
        id,
        method,
        name,
        deadline: Math.round(this.#now() + deadlineMs),
        idempotencyKey,
        caller: callerOf(options),
        client: clientOf(options),
        ...(traceparent === undefined ? {} : { traceparent }),
        body: encodeJson(sent),
      } as const
      this.#hub.request(request, agentOf(options, deadlineMs, settle))
      const cancel = () => this.#hub.deliver({ type: 'cancel', id, reason: 'cancelled' })
      if (signal?.aborted) cancel()
      else signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  #timeoutOf(method: WorkerMethod, name: string, session = defaultSession): number {
    const tools = [...(this.viewOf(session)?.tools ?? []), ...(this.definitions.tools ?? [])]
    const tool = method === 'tools/call' ? tools.find((each) => each.name === name) : undefined
    const timeoutMs = tool?._meta?.['callboard/timeoutMs']
    return typeof timeoutMs === 'number' ? timeoutMs : deadlineMsDefault
  }
}

function callerOf(options: TestCallOptions): Caller {
  const { session = defaultSession, principal = 'agent:main', roles = ['agent'], depth = 0 } = options
  const { group, run, onBehalfOf } = options
  return {
    session,
    principal,
    roles,
    depth,
    ...(group === undefined ? {} : { group }),
    ...(run === undefined ? {} : { run }),
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
  }
}

/** Who brings answers has a client that can ask; who listens has one that wants to hear. */
function clientOf({ client, answers, onProgress, onLog }: TestCallOptions): Client {
  return {
    generation: 'modern',
    input: answers === undefined ? [] : ['form', 'url', 'sampling', 'roots'],
    progress: onProgress !== undefined,
    ...(onLog === undefined ? {} : { logLevel: 'debug' }),
    ...client,
  }
}

function agentOf(options: TestCallOptions, deadlineMs: number, settle: Agent['settle']): Agent {
  const { answers, onProgress, onLog } = options
  const list = typeof answers === 'function' ? [] : [...(answers ?? [])]
  const answerOne = typeof answers === 'function' ? answers : () => list.shift()
  return {
    settle,
    deadlineMs,
    progress: (update) => onProgress?.(update),
    log: (entry) => onLog?.(entry),
    async answer(questions) {
      const given: { [key: string]: unknown } = {}
      for (const [key, question] of Object.entries(questions)) {
        const value = await answerOne(question)
        if (value === undefined) return undefined
        given[key] = value
      }
      return given
    },
  }
}

function settleWith(
  response: Extract<Message, { type: 'response' }>,
  resolve: (value: unknown) => void,
  reject: (reason: unknown) => void,
): void {
  if (response.outcome === 'not_started')
    return reject(new Error(`The worker did not start the call: ${response.reason}`))
  const value = decodeJson(response.body)
  if (response.outcome === 'result') return resolve(value)
  const { code, message, data } = isRecord(value) ? value : {}
  reject(new RpcError(Number(code), String(message), data))
}

function silentLog(errors: unknown[]) {
  return {
    info: () => {},
    warn: () => {},
    error: (entry: unknown) => {
      errors.push(isRecord(entry) && 'err' in entry ? entry['err'] : entry)
    },
  }
}
