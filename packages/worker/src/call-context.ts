import type { Caller, CallId, Client, LogLevel, Request, ToolDefinition } from '@callboard/protocol'
import type { z } from 'zod'
import type {
  CallOptions,
  Context,
  ElicitRequest,
  ElicitResult,
  QuestionOptions,
  ResourceLink,
  SampleRequest,
  SampleResult,
  ToolResult,
} from './api.js'
import { type AbortCause, CallAborted, InputUnsupported, ToolError } from './errors.js'
import { formSchema, parseForm } from './forms.js'
import { encodeJson, isRecord } from './json-body.js'
import { type KeptResults, ownerOf } from './kept-results.js'
import { keptBytesEachMax, logBytesMax, progressTextMax, questionKeyMax } from './limits.js'
import { requireText } from './names.js'
import type { OutgoingCalls } from './outgoing-calls.js'
import type { InputQuestion, SessionEvent } from './session-messages.js'

/** What a context needs of the worker that it lives in. */
export interface ContextHost {
  dispatch(event: SessionEvent): void
  /** UTC ms by this machine's clock. */
  deadlineOf(id: CallId): number | undefined
  readonly calls: OutgoingCalls
  readonly kept: KeptResults
}

interface Answer {
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** One call's side of {@link Context}; its methods are bound, since handlers take them apart. */
export class CallContext implements Context {
  readonly callId: CallId
  readonly caller: Caller
  readonly idempotencyKey: string
  readonly traceparent?: string
  readonly tracestate?: string
  readonly baggage?: string
  readonly meta: { readonly [key: string]: unknown }
  readonly #host: ContextHost
  readonly #abort = new AbortController()
  /** Questions by key, until each is answered. */
  readonly #answers = new Map<string, Answer>()
  /** Asked in this turn, to go out in one frame. */
  #gathered: { [key: string]: InputQuestion } = {}
  /** Came with the call, for questions whose names the client knows. */
  readonly #brought: Map<string, unknown>
  #asked = 0
  #client: Client
  #lastDeadline: number

  constructor(request: Request, params: { readonly [key: string]: unknown }, host: ContextHost) {
    const { id, caller, client, idempotencyKey, traceparent, tracestate, deadline } = request
    const meta = isRecord(params['_meta']) ? params['_meta'] : {}
    this.callId = id
    this.caller = caller
    this.idempotencyKey = idempotencyKey
    if (traceparent !== undefined) this.traceparent = traceparent
    if (tracestate !== undefined) this.tracestate = tracestate
    if (typeof meta['baggage'] === 'string') this.baggage = meta['baggage']
    this.meta = ownMeta(meta)
    this.#brought = new Map(isRecord(params['inputResponses']) ? Object.entries(params['inputResponses']) : [])
    this.#host = host
    this.#client = client
    this.#lastDeadline = deadline
  }

  get client(): Client {
    return this.#client
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get deadline(): number {
    this.#lastDeadline = this.#host.deadlineOf(this.callId) ?? this.#lastDeadline
    return this.#lastDeadline
  }

  progress = (progress: number, total?: number, message?: string): void => {
    if (!this.client.progress || this.signal.aborted) return
    const text = message === undefined ? {} : { message: message.slice(0, progressTextMax) }
    const body = encodeJson({ progress, ...(total === undefined ? {} : { total }), ...text })
    this.#host.dispatch({ type: 'handler_progress', id: this.callId, body })
  }

  log = (level: LogLevel, data: unknown, logger?: string): void => {
    if (this.client.logLevel === undefined || this.signal.aborted) return
    this.#host.dispatch({ type: 'handler_logged', id: this.callId, level, body: logBody(data, logger) })
  }

  call = (tool: string, args: { readonly [key: string]: unknown } = {}, options?: CallOptions): Promise<ToolResult> =>
    this.#host.calls.callTool({ parent: this.callId }, tool, args, options)

  tools = (): Promise<readonly ToolDefinition[]> => this.#host.calls.listTools({ parent: this.callId })

  keep: Context['keep'] = (data, { name, mimeType }): readonly ResourceLink[] => {
    requireText('keep: name', name)
    const isText = typeof data === 'string'
    const as = { name, mimeType: mimeType ?? (isText ? 'text/plain' : 'application/octet-stream') }
    // A copy: the author's buffer may be used again.
    const links = this.#host.kept.keep(ownerOf(this.caller), isText ? data : new Uint8Array(data), as)
    if (links !== undefined) return links
    throw new ToolError('result_too_large', `${name} is larger than ${keptBytesEachMax} bytes, or there is no room.`)
  }

  elicit = (async (request: ElicitRequest | { message: string; form: z.ZodObject }, options?: QuestionOptions) => {
    if (!('form' in request)) return this.#elicit(request, options)
    const { message, form } = request
    return parseForm(form, await this.#elicit({ message, requestedSchema: formSchema(form) }, options))
  }) as Context['elicit']

  sample = async (params: SampleRequest, options?: QuestionOptions): Promise<SampleResult> => {
    this.#requireInput('sampling')
    const answer = await this.#ask({ method: 'sampling/createMessage', params }, isMessage, options)
    if (isMessage(answer)) return answer
    throw new ToolError('input_invalid', 'The client answered the sampling request with something else than a message.')
  }

  roots = async (options?: QuestionOptions): Promise<readonly { readonly uri: string; readonly name?: string }[]> => {
    this.#requireInput('roots')
    const answer = await this.#ask({ method: 'roots/list', params: {} }, isRoots, options)
    if (isRoots(answer)) return answer.roots
    throw new ToolError(
      'input_invalid',
      'The client answered the question for its roots with something else than a list of them.',
    )
  }

  abort(cause: AbortCause): void {
    const reason = new CallAborted(cause)
    this.#abort.abort(reason)
    this.#rejectAll(reason)
  }

  /** The answers to the questions of one frame; undefined stands for none. */
  resume(answers: { readonly [key: string]: unknown }, client: Client): void {
    this.#client = client
    for (const [key, value] of Object.entries(answers)) {
      const waiting = this.#take(key)
      if (value === undefined)
        waiting?.reject(new ToolError('input_invalid', 'The client left this question unanswered.'))
      else waiting?.resolve(value)
    }
  }

  refuseInput(keys: readonly string[]): void {
    const reason = this.signal.aborted
      ? this.signal.reason
      : new ToolError('input_refused', 'This call has too many questions open.')
    for (const key of keys) this.#take(key)?.reject(reason)
  }

  async #elicit(request: ElicitRequest, options: QuestionOptions | undefined): Promise<ElicitResult> {
    const isUrl = 'url' in request
    this.#requireInput(isUrl ? 'url' : 'form')
    const params = isUrl ? { mode: 'url', ...request } : { ...request }
    const answer = await this.#ask({ method: 'elicitation/create', params }, isElicitResult, options)
    if (isElicitResult(answer)) return answer
    throw new ToolError(
      'input_invalid',
      'The client answered the question in a form that is not an elicitation result.',
    )
  }

  #requireInput(kind: Client['input'][number]): void {
    this.signal.throwIfAborted()
    if (this.client.input.includes(kind)) return
    throw new InputUnsupported(kind)
  }

  #ask(
    question: InputQuestion,
    isAnswer: (value: unknown) => boolean,
    { key = `input-${++this.#asked}` }: QuestionOptions = {},
  ): Promise<unknown> {
    if (key === '' || key.length > questionKeyMax || this.#answers.has(key)) {
      throw new TypeError(
        `question ${JSON.stringify(key)}: a key has 1 to ${questionKeyMax} characters and is asked once`,
      )
    }
    const brought = this.#brought.get(key)
    this.#brought.delete(key)
    if (isAnswer(brought)) return Promise.resolve(brought)
    if (Object.keys(this.#gathered).length === 0) queueMicrotask(() => this.#sendGathered())
    this.#gathered[key] = question
    return new Promise((resolve, reject) => this.#answers.set(key, { resolve, reject }))
  }

  #sendGathered(): void {
    const questions = this.#gathered
    this.#gathered = {}
    this.#host.dispatch({ type: 'input_asked', id: this.callId, questions })
  }

  #take(key: string): Answer | undefined {
    const answer = this.#answers.get(key)
    this.#answers.delete(key)
    return answer
  }

  #rejectAll(reason: unknown): void {
    for (const { reject } of this.#answers.values()) reject(reason)
    this.#answers.clear()
  }
}

/** The request's `_meta` without what MCP and Callboard use themselves. */
function ownMeta(meta: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !isReserved(key)))
}

function isReserved(key: string): boolean {
  const plain = ['progressToken', 'traceparent', 'tracestate', 'baggage']
  return plain.includes(key) || /^(callboard|([^/]+\.)?(mcp|modelcontextprotocol)(\.[^/]+)?)\//.test(key)
}

function isElicitResult(value: unknown): value is ElicitResult {
  return isRecord(value) && ['accept', 'decline', 'cancel'].includes(value['action'] as string)
}

function isRoots(value: unknown): value is { readonly roots: readonly { readonly uri: string }[] } {
  return isRecord(value) && Array.isArray(value['roots']) && value['roots'].every(isRoot)
}

function isMessage(value: unknown): value is SampleResult {
  const isContent = isRecord(value) && (isRecord(value['content']) || Array.isArray(value['content']))
  return isContent && typeof value['role'] === 'string' && typeof value['model'] === 'string'
}

function isRoot(value: unknown): boolean {
  return isRecord(value) && typeof value['uri'] === 'string'
}

function logBody(data: unknown, logger: string | undefined): Uint8Array {
  const name = logger === undefined ? {} : { logger: logger.slice(0, progressTextMax) }
  try {
    const body = encodeJson({ ...name, data: data ?? null })
    if (body.byteLength <= logBytesMax) return body
  } catch {
    // A cycle or a BigInt: its text will do.
  }
  const text = textOf(data)
  // A character may take four bytes and its JSON escape more, but those are few in what people log.
  const isShort = text.length <= logBytesMax / 4
  return encodeJson({ ...name, data: isShort ? text : `${text.slice(0, logBytesMax / 4)}… (cut)` })
}

function textOf(data: unknown): string {
  try {
    return typeof data === 'string' ? data : (JSON.stringify(data) ?? String(data))
  } catch {
    return String(data)
  }
}
