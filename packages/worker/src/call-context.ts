import type { Caller, CallId, Client, Request } from '@callboard/protocol'
import type { z } from 'zod'
import type { Context, ElicitRequest, ElicitResult, QuestionOptions, SampleResult } from './api.js'
import { CallQuestions } from './call-questions.js'
import { type AbortCause, CallAborted, InputUnsupported, ToolError } from './errors.js'
import { formSchema, parseForm } from './forms.js'
import { encodeJson, isRecord } from './json-body.js'
import { type KeptResults, ownerOf } from './kept-results.js'
import { keptBytesEachMax, logBytesMax, progressTextMax } from './limits.js'
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

type Values = { readonly [key: string]: unknown }

/**
 * One call's side of {@link Context}. Its methods are bound, since handlers take them apart; what a handler does not touch
 * is never made, for most touch next to nothing.
 */
export class CallContext implements Context {
  readonly callId: CallId
  readonly caller: Caller
  readonly idempotencyKey: string
  readonly traceparent?: string
  readonly tracestate?: string
  readonly baggage?: string
  readonly #params: Values
  readonly #host: ContextHost
  #meta: Values | undefined
  #abort: AbortController | undefined
  #abortReason: CallAborted | undefined
  #questions: CallQuestions | undefined
  #client: Client
  #lastDeadline: number

  constructor(request: Request, params: Values, host: ContextHost) {
    const { id, caller, client, idempotencyKey, traceparent, tracestate, deadline } = request
    this.callId = id
    this.caller = caller
    this.idempotencyKey = idempotencyKey
    if (traceparent !== undefined) this.traceparent = traceparent
    if (tracestate !== undefined) this.tracestate = tracestate
    const { baggage } = recordIn(params, '_meta')
    if (typeof baggage === 'string') this.baggage = baggage
    this.#params = params
    this.#host = host
    this.#client = client
    this.#lastDeadline = deadline
  }

  get client(): Client {
    return this.#client
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#abortReason !== undefined) this.#abort.abort(this.#abortReason)
    }
    return this.#abort.signal
  }

  get deadline(): number {
    this.#lastDeadline = this.#host.deadlineOf(this.callId) ?? this.#lastDeadline
    return this.#lastDeadline
  }

  get meta(): Values {
    this.#meta ??= ownMeta(recordIn(this.#params, '_meta'))
    return this.#meta
  }

  get progress(): Context['progress'] {
    return (progress, total, message) => {
      if (!this.client.progress || this.#abortReason !== undefined) return
      const text = message === undefined ? {} : { message: message.slice(0, progressTextMax) }
      const body = encodeJson({ progress, ...(total === undefined ? {} : { total }), ...text })
      this.#host.dispatch({ type: 'handler_progress', id: this.callId, body })
    }
  }

  get log(): Context['log'] {
    return (level, data, logger) => {
      if (this.client.logLevel === undefined || this.#abortReason !== undefined) return
      this.#host.dispatch({ type: 'handler_logged', id: this.callId, level, body: logBody(data, logger) })
    }
  }

  get call(): Context['call'] {
    return (tool, args = {}, options) => this.#host.calls.callTool({ parent: this.callId }, tool, args, options)
  }

  get tools(): Context['tools'] {
    return () => this.#host.calls.listTools({ parent: this.callId })
  }

  get keep(): Context['keep'] {
    return (data, { name, mimeType }) => {
      requireText('keep: name', name)
      const isText = typeof data === 'string'
      const as = { name, mimeType: mimeType ?? (isText ? 'text/plain' : 'application/octet-stream') }
      // A copy: the author's buffer may be used again.
      const links = this.#host.kept.keep(ownerOf(this.caller), isText ? data : new Uint8Array(data), as)
      if (links !== undefined) return links
      throw new ToolError('result_too_large', `${name} is larger than ${keptBytesEachMax} bytes, or there is no room.`)
    }
  }

  get elicit(): Context['elicit'] {
    return (async (request: ElicitRequest | { message: string; form: z.ZodObject }, options?: QuestionOptions) => {
      if (!('form' in request)) return this.#elicit(request, options)
      const { message, form } = request
      return parseForm(form, await this.#elicit({ message, requestedSchema: formSchema(form) }, options))
    }) as Context['elicit']
  }

  get sample(): Context['sample'] {
    return async (params, options) => {
      this.#requireInput('sampling')
      const answer = await this.#ask({ method: 'sampling/createMessage', params }, isMessage, options)
      if (isMessage(answer)) return answer
      throw invalidAnswer('the sampling request with something else than a message')
    }
  }

  get roots(): Context['roots'] {
    return async (options) => {
      this.#requireInput('roots')
      const answer = await this.#ask({ method: 'roots/list', params: {} }, isRoots, options)
      if (isRoots(answer)) return answer.roots
      throw invalidAnswer('the question for its roots with something else than a list of them')
    }
  }

  abort(cause: AbortCause): void {
    this.#abortReason ??= new CallAborted(cause)
    this.#abort?.abort(this.#abortReason)
    this.#questions?.rejectAll(this.#abortReason)
  }

  /** The answers to the questions of one frame; undefined stands for none. */
  resume(answers: Values, client: Client): void {
    this.#client = client
    this.#questions?.answer(answers)
  }

  refuseInput(keys: readonly string[]): void {
    const reason = this.#abortReason ?? new ToolError('input_refused', 'This call has too many questions open.')
    this.#questions?.reject(keys, reason)
  }

  async #elicit(request: ElicitRequest, options: QuestionOptions | undefined): Promise<ElicitResult> {
    const isUrl = 'url' in request
    this.#requireInput(isUrl ? 'url' : 'form')
    const params = isUrl ? { mode: 'url', ...request } : { ...request }
    const answer = await this.#ask({ method: 'elicitation/create', params }, isElicitResult, options)
    if (isElicitResult(answer)) return answer
    throw invalidAnswer('the question in a form that is not an elicitation result')
  }

  #requireInput(kind: Client['input'][number]): void {
    if (this.#abortReason !== undefined) throw this.#abortReason
    if (this.client.input.includes(kind)) return
    throw new InputUnsupported(kind)
  }

  #ask(
    question: InputQuestion,
    isAnswer: (value: unknown) => boolean,
    { key }: QuestionOptions = {},
  ): Promise<unknown> {
    this.#questions ??= new CallQuestions({
      brought: recordIn(this.#params, 'inputResponses'),
      send: (questions) => this.#host.dispatch({ type: 'input_asked', id: this.callId, questions }),
    })
    return this.#questions.ask(question, isAnswer, key)
  }
}

function recordIn(params: Values, key: string): Values {
  const value = params[key]
  return isRecord(value) ? value : none
}

const none: Values = {}

function invalidAnswer(what: string): ToolError {
  return new ToolError('input_invalid', `The client answered ${what}.`)
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
