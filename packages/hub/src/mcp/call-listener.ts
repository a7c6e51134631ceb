import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LogLevel } from '@callboard/protocol'
import type { ServerContext } from '@modelcontextprotocol/server'
import { parseBody } from './agent-result.js'
import { withoutWorkerForgery } from './reserved-meta.js'

/** Passes progress and log messages of one call to the request that waits for it, for as long as it does. */
export class CallListener {
  readonly #progressToken: string | number | undefined
  #ctx: ServerContext | undefined
  #written = false

  constructor(ctx: ServerContext, progressToken: string | number | undefined) {
    this.#ctx = ctx
    this.#progressToken = progressToken
  }

  /** The request is answered: there is nobody to tell. */
  close(): void {
    this.#ctx = undefined
  }

  /**
   * Resolves at once, or, when there was something to tell, in a later turn of the event loop. SDK clients forget the progress
   * handler of a call when they read its result, before they look at a notification that was in the same chunk.
   */
  async heard(): Promise<void> {
    if (this.#written) await nextTurn()
    this.#written = false
  }

  readonly progress = (body: Uint8Array): void => {
    const progressToken = this.#progressToken
    const params = parseBody(body)
    if (progressToken === undefined || typeof params?.['progress'] !== 'number') return
    this.#notify('notifications/progress', { ...params, progressToken })
  }

  readonly logged = (level: LogLevel, body: Uint8Array): void => {
    const params = parseBody(body)
    if (params !== undefined && 'data' in params) this.#notify('notifications/message', { ...params, level })
  }

  /** A client that is gone misses it; its call is cancelled by other means. */
  #notify(method: string, params: Record<string, unknown>): void {
    this.#written = true
    this.#ctx?.mcpReq.notify({ method, params: withoutWorkerForgery(params) }).catch(() => {})
  }
}
