import { batchMessagesMax, type CallId, type Request } from '@callboard/protocol'
import { CallContext, type ContextHost } from './call-context.js'
import { isPending } from './eventually.js'
import { decodeJson, isRecord } from './json-body.js'
import { type Serving, serve } from './serve.js'
import type { Outcome } from './session-messages.js'
import { TransientMap } from './transient-map.js'

interface Added {
  readonly request: Request
  readonly params: { readonly [key: string]: unknown }
  readonly context: CallContext
}

export interface Settled {
  readonly id: CallId
  readonly result: Outcome
}

export interface RunningCallsOptions {
  readonly serving: Serving
  readonly host: ContextHost
  /** What ended together is told together. */
  readonly settled: (calls: readonly Settled[]) => void
}

/** The handlers that run, each with its context. */
export class RunningCalls {
  readonly #options: RunningCallsOptions
  readonly #contexts = new TransientMap<CallId, CallContext>()
  #added: Added[] = []
  #settled: Settled[] = []

  constructor(options: RunningCallsOptions) {
    this.#options = options
  }

  get(id: CallId): CallContext | undefined {
    return this.#contexts.get(id)
  }

  /** Its handler starts with the next `start`: whatever came along, such as its CANCEL, finds the context before. */
  add(request: Request): void {
    const decoded = decodeJson(request.body)
    const params = isRecord(decoded) ? decoded : {}
    const context = new CallContext(request, params, this.#options.host)
    this.#contexts.set(request.id, context)
    this.#added.push({ request, params, context })
  }

  start(): void {
    if (this.#added.length === 0) return
    const added = this.#added
    this.#added = []
    for (const { request, params, context } of added) {
      const outcome = serve(this.#options.serving, request, params, context)
      if (isPending(outcome)) outcome.then((result) => this.#settle(request.id, result))
      else this.#settle(request.id, outcome)
    }
  }

  #settle(id: CallId, result: Outcome): void {
    this.#contexts.delete(id)
    this.#settled.push({ id, result })
    if (this.#settled.length === 1) process.nextTick(() => this.#tellOrWait())
  }

  /**
   * What else ends in this turn of the event loop is answered in the same batch [CB-9]; but once nothing runs any more, or
   * a batch is full, there is nothing to wait for.
   */
  #tellOrWait(): void {
    if (this.#contexts.size === 0 || this.#settled.length >= batchMessagesMax) this.#tell()
    else setImmediate(() => this.#tell())
  }

  #tell(): void {
    const settled = this.#settled
    this.#settled = []
    if (settled.length > 0) this.#options.settled(settled)
  }
}
