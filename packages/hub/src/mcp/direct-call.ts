import type { Client, LogLevel } from '@callboard/protocol'
import type { Result, Server } from '@modelcontextprotocol/server'
import type { CallOutcome, CallSink, Connection, Turn } from '../port.js'
import { failed, toResult } from './agent-result.js'
import { logParams, progressParams } from './call-news.js'
import type { DescribedAgent } from './described-agent.js'
import { type DirectRequest, wishOf } from './direct-request.js'
import { mayPass } from './direct-result.js'
import { giveInput } from './give-input.js'
import { withoutHubFault } from './hub-fault.js'
import { InputFailure, type SendToClient } from './input-requests.js'
import type { Logger } from './logger.js'
import type { SuspendedCalls } from './suspended-calls.js'

/** Where a direct call's answer goes. Of the first three one is called, once. */
export interface DirectWire {
  /** The worker's bytes are the result. */
  pass(body: Buffer): void
  answer(result: Result): void
  refuse(error: { readonly code: number; readonly message: string; readonly data?: unknown }): void
  /** Before the answer. */
  notify(method: string, params: object): void
}

export interface DirectContext {
  readonly connection: Connection
  readonly server: Server
  readonly log: Logger
  readonly suspended: SuspendedCalls
}

/** One plain tool call: the broker tells it what happens, and it tells the agent. */
export class DirectCall implements CallSink {
  readonly #request: DirectRequest
  readonly #described: DescribedAgent
  readonly #context: DirectContext
  readonly #wire: DirectWire
  #turn: Turn | undefined
  #isOver = false
  #hasTold = false
  /** Only once the client is asked something. */
  #abort: AbortController | undefined

  constructor(request: DirectRequest, described: DescribedAgent, context: DirectContext, wire: DirectWire) {
    this.#request = request
    this.#described = described
    this.#context = context
    this.#wire = wire
  }

  begin(): void {
    this.#turn = this.#context.connection.begin(wishOf(this.#request, this.#client), this)
  }

  get #client(): Client {
    return this.#request.progressToken === undefined ? this.#described.quiet : this.#described.wantsProgress
  }

  /** Nobody waits for it any more: nothing is answered. */
  cancel(): void {
    this.#isOver = true
    this.#abort?.abort()
    if (this.#turn !== undefined) this.#context.connection.cancel(this.#turn)
  }

  settled(outcome: CallOutcome): void {
    // SDK clients forget the progress handler of a call when they read its result, before they look at a notification that was in the
    // same chunk.
    if (this.#hasTold) setImmediate(() => this.#finish(outcome))
    else this.#finish(outcome)
  }

  onProgress(body: Uint8Array): void {
    this.#notify('notifications/progress', progressParams(body, this.#request.progressToken))
  }

  onLog(level: LogLevel, body: Uint8Array): void {
    this.#notify('notifications/message', logParams(body, level))
  }

  #notify(method: string, params: object | undefined): void {
    if (this.#isOver || params === undefined) return
    this.#hasTold = true
    this.#wire.notify(method, params)
  }

  #finish(outcome: CallOutcome): void {
    if (this.#isOver) {
      // Its turn was over when it was cancelled, so that nobody else gives it up.
      if (outcome.kind === 'input_required') this.#context.connection.abandon(outcome.id)
      return
    }
    if (outcome.kind === 'input_required') return void this.#giveInput(outcome)
    this.#isOver = true
    if (outcome.kind === 'result') {
      const { body, trusted } = outcome
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      if (mayPass(bytes, trusted)) return this.#wire.pass(bytes)
    }
    this.#say(() => toResult(outcome, this.#request, this.#context))
  }

  async #giveInput(outcome: Extract<CallOutcome, { kind: 'input_required' }>): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    const { server } = this.#context
    const send: SendToClient = (request, schema, options) => server.request(request, schema, options)
    const call = {
      request: this.#request,
      client: this.#client,
      declared: this.#described.capabilities,
      send,
      signal: abort.signal,
      turn: {
        signal: abort.signal,
        onProgress: (body: Uint8Array) => this.onProgress(body),
        onLog: (level: LogLevel, body: Uint8Array) => this.onLog(level, body),
      },
    }
    const given = await giveInput(call, outcome, this.#context).then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error
      },
    )
    if (this.#isOver) return
    this.#isOver = true
    this.#say(given)
  }

  #say(result: () => Result): void {
    let said: Result
    try {
      said = result()
    } catch (error) {
      return this.#sayError(error)
    }
    this.#wire.answer(said)
  }

  #sayError(error: unknown): void {
    if (error instanceof InputFailure) {
      const cancelled = { code: 'cancelled', message: error.message, retryable: false } as const
      return this.#wire.answer(failed(cancelled, this.#request, this.#context))
    }
    const { code, message, data } = withoutHubFault(error, this.#request, this.#context.log)
    this.#wire.refuse({ code, message, ...(data !== undefined && { data }) })
  }
}
