import type { Call, FromHub, ToolDefinition } from '@callboard/protocol'
import { CallFailure } from '../errors.js'
import { decodeJson, encodeJson, isRecord } from '../json-body.js'
import { readReturn, toToolResult } from '../tool-result.js'

/** A call that the worker under test made of another one. */
export interface NestedCall {
  readonly method: Call['method']
  /** The tool's name. */
  readonly name: string
  readonly args: { readonly [key: string]: unknown }
  /** Id of the live call that it was made for. */
  readonly parent?: string
  readonly token?: string
  readonly idempotencyKey?: string
  readonly deadline?: number
  readonly signal: AbortSignal
  progress(progress: number, total?: number, message?: string): void
}

/**
 * Plays the other worker: returns a tool result, or a plain value as a handler would; throws a CallFailure for what the
 * hub answers when there is none. Also for `callboard/token.mint` and `callboard/token.revoke`.
 */
export type NestedCallStub = (args: { readonly [key: string]: unknown }, call: NestedCall) => unknown

export interface NestedCallsOptions {
  readonly calls: { readonly [name: string]: NestedCallStub }
  readonly tools: readonly ToolDefinition[]
}

/** Answers CALLs from a table of stubs, and remembers them. */
export class NestedCalls {
  readonly seen: NestedCall[] = []
  readonly #options: NestedCallsOptions
  readonly #open = new Map<string, AbortController>()
  readonly #send: (message: FromHub) => void

  constructor(options: NestedCallsOptions, send: (message: FromHub) => void) {
    this.#options = options
    this.#send = send
  }

  async start(message: Call): Promise<void> {
    const { id } = message
    const abort = new AbortController()
    this.#open.set(id, abort)
    const answer = await this.#answer(message, abort.signal)
    if (this.#open.delete(id)) this.#send(answer)
  }

  cancel(id: string): boolean {
    const abort = this.#open.get(id)
    abort?.abort()
    return this.#open.delete(id)
  }

  async #answer(message: Call, signal: AbortSignal): Promise<FromHub> {
    const { id, method } = message
    try {
      const body = encodeJson(await this.#valueOf(message, signal))
      return { type: 'result', id, outcome: 'result', body }
    } catch (error) {
      const failure =
        error instanceof CallFailure ? error : new CallFailure('internal', `stub of ${method}: ${String(error)}`)
      const { message, retryable, retryAfterMs } = failure
      const code = failure.code === 'protocol_error' ? 'internal' : failure.code
      const when = retryAfterMs === undefined ? {} : { retryAfterMs }
      return { type: 'result', id, outcome: 'failure', failure: { code, message, retryable, ...when } }
    }
  }

  async #valueOf(message: Call, signal: AbortSignal): Promise<unknown> {
    const { method } = message
    if (method === 'tools/list') return { tools: this.#options.tools }
    const name = method === 'tools/call' ? message.name : method
    const call = this.#describe(message, signal)
    this.seen.push(call)
    const stub = this.#options.calls[name]
    if (stub === undefined) throw new CallFailure('not_found', `This test has no stub for ${name}.`)
    const value = await stub(call.args, call)
    if (method !== 'tools/call' || (isRecord(value) && Array.isArray(value['content']))) return value
    return toToolResult(readReturn(value, false), false)
  }

  #describe(
    { id, method, name, parent, token, idempotencyKey, deadline, body }: Call,
    signal: AbortSignal,
  ): NestedCall {
    const params = decodeJson(body)
    const given = isRecord(params) ? (method === 'tools/call' ? params['arguments'] : params) : {}
    return {
      method,
      name,
      args: isRecord(given) ? given : {},
      ...(parent === undefined ? {} : { parent }),
      ...(token === undefined ? {} : { token }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(deadline === undefined ? {} : { deadline }),
      signal,
      progress: (progress, total, message) => {
        this.#send({ type: 'progress', id, body: encodeJson({ progress, total, message }) })
      },
    }
  }
}
