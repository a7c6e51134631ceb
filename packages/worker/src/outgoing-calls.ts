import type { CallMethod, ToolDefinition } from '@callboard/protocol'
import type { CallOptions, ToolResult } from './api.js'
import { CallFailure } from './errors.js'
import { decodeJson, encodeJson, isRecord } from './json-body.js'
import type { CallOutcome, CallStart, SessionEvent } from './session-messages.js'
import { TransientMap } from './transient-map.js'

type On = CallStart['on']
type ProgressListener = NonNullable<CallOptions['onProgress']>

interface Waiting {
  resolve(value: unknown): void
  reject(reason: unknown): void
  readonly onProgress?: ProgressListener
}

/** This worker's own calls, as promises. */
export class OutgoingCalls {
  readonly #dispatch: (event: SessionEvent) => void
  readonly #waiting = new TransientMap<string, Waiting>()
  #serial = 0

  constructor(dispatch: (event: SessionEvent) => void) {
    this.#dispatch = dispatch
  }

  async callTool(
    on: On,
    name: string,
    args: { readonly [key: string]: unknown },
    options: CallOptions = {},
  ): Promise<ToolResult> {
    const value = await this.#call(on, 'tools/call', name, { name, arguments: args }, options)
    if (isRecord(value) && Array.isArray(value['content'])) return value as unknown as ToolResult
    throw new CallFailure('internal', `The answer of ${name} is no tool result.`)
  }

  async listTools(on: On): Promise<readonly ToolDefinition[]> {
    const value = await this.#call(on, 'tools/list', '', {}, {})
    if (isRecord(value) && Array.isArray(value['tools'])) return value['tools']
    throw new CallFailure('internal', 'The answer of the hub is no list of tools.')
  }

  /** A request that the hub answers to this worker itself. */
  async ask(
    method: CallMethod,
    params: { readonly [key: string]: unknown },
  ): Promise<{ readonly [key: string]: unknown }> {
    const value = await this.#call('own', method, '', params, {})
    if (isRecord(value)) return value
    throw new CallFailure('internal', `The answer of the hub to ${method} is no object.`)
  }

  progressed(id: string, body: Uint8Array): void {
    const progress = decodeJson(body)
    if (isRecord(progress)) this.#waiting.get(id)?.onProgress?.(progress as unknown as Parameters<ProgressListener>[0])
  }

  settle(id: string, result: CallOutcome): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (waiting === undefined) return
    if (result.outcome === 'failure') return waiting.reject(toFailure(result.failure))
    const value = decodeJson(result.body)
    if (result.outcome === 'result') return waiting.resolve(value)
    const { code, message, data } = isRecord(value) ? value : {}
    const error = { code: Number(code), message: String(message), data }
    waiting.reject(new CallFailure('protocol_error', error.message, { error }))
  }

  #call(on: On, method: CallMethod, name: string, params: unknown, options: CallOptions): Promise<unknown> {
    const { signal, timeoutMs, idempotencyKey, onProgress } = options
    if (signal?.aborted) return Promise.reject(signal.reason)
    const id = `c${++this.#serial}`
    const body = encodeJson(params)
    const answer = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, ...(onProgress === undefined ? {} : { onProgress }) })
    })
    const call: CallStart = {
      id,
      method,
      name,
      on,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      progress: onProgress !== undefined,
      body,
    }
    const untilAborted = signal === undefined ? answer : this.#until(signal, id, answer)
    this.#dispatch({ type: 'call_started', call })
    return untilAborted
  }

  async #until(signal: AbortSignal, id: string, answer: Promise<unknown>): Promise<unknown> {
    const giveUp = () => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      this.#dispatch({ type: 'call_given_up', id })
      waiting?.reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await answer
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }
}

function toFailure({
  code,
  message,
  retryable,
  retryAfterMs,
}: Extract<CallOutcome, { outcome: 'failure' }>['failure']): CallFailure {
  return new CallFailure(code, message, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
}
