import type { ServerResponse } from 'node:http'

/** The answers that are not out yet. */
export class OpenExchanges {
  readonly #open = new Set<ServerResponse>()
  #isDraining = false

  add(response: ServerResponse): void {
    if (this.#isDraining) response.shouldKeepAlive = false
    this.#open.add(response)
    response.once('close', () => this.#open.delete(response))
  }

  /** From now on each connection ends with the answer that it waits for, and the client is told so. */
  drain(): void {
    this.#isDraining = true
    for (const response of this.#open) response.shouldKeepAlive = false
  }
}
