import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LogLevel } from '@callboard/protocol'
import type { ServerContext } from '@modelcontextprotocol/server'
import { logParams, progressParams } from './call-news.js'

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
    this.#notify('notifications/progress', progressParams(body, this.#progressToken))
  }

  readonly logged = (level: LogLevel, body: Uint8Array): void => {
    this.#notify('notifications/message', logParams(body, level))
  }

  /** A client that is gone misses it; its call is cancelled by other means. */
  #notify(method: string, params: object | undefined): void {
    if (params === undefined) return
    this.#written = true
    this.#ctx?.mcpReq.notify({ method, params: params as Record<string, unknown> }).catch(() => {})
  }
}
