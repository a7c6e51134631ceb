import type { IncomingHttpHeaders } from 'node:http'
import { matches } from './faults.js'
import { loggedBytesMax, loggedRequestsMax } from './limits.js'
import { Waiting } from './waiting.js'

export interface SeenRequest {
  readonly method: string
  /** With its query; without the forum's base path, where it is inside. */
  readonly path: string
  /** Whether the path began with the base path. */
  readonly inside: boolean
  readonly headers: IncomingHttpHeaders
  /** As it came; empty where there was none. */
  readonly body: string
  /** The body, where it is JSON. */
  readonly json: unknown
  /** UTC ms by the forum's clock. */
  readonly at: number
}

/** The requests that came, oldest first, and who waits for some. */
export class RequestLog {
  #requests: SeenRequest[] = []
  #bytes = 0
  readonly #waiting = new Waiting()

  get all(): readonly SeenRequest[] {
    return this.#requests
  }

  seen(expression: RegExp): readonly SeenRequest[] {
    return this.#requests.filter(({ method, path }) => matches(expression, `${method} ${path}`))
  }

  add(request: SeenRequest): void {
    this.#bytes += request.body.length
    const isTooMuch = this.#bytes > loggedBytesMax
    if (isTooMuch) this.#bytes -= request.body.length
    this.#requests.push(isTooMuch ? { ...request, body: '', json: undefined } : request)
    // Half at once: one at a time would move the whole list for each request.
    if (this.#requests.length > loggedRequestsMax) this.#forget(loggedRequestsMax / 2)
    this.#waiting.look()
  }

  /** Resolves when so many have come that match. */
  arrived(expression: RegExp, count: number): Promise<void> {
    return this.#waiting.until(() => this.seen(expression).length >= count)
  }

  clear(): void {
    this.#requests = []
    this.#bytes = 0
  }

  #forget(count: number): void {
    for (const { body } of this.#requests.slice(0, count)) this.#bytes -= body.length
    this.#requests = this.#requests.slice(count)
  }
}
