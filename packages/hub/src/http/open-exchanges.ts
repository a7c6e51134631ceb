import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { unreadAnswersBytesMax } from './limits.js'

/** The answers that are not out yet, one per connection. */
export class OpenExchanges {
  readonly #open = new Set<ServerResponse>()
  readonly #busy = new WeakSet<Socket>()
  #isDraining = false

  /**
   * False for a request that does not wait for the answer to the one before it: its connection is cut. No client of today
   * sends such; they would all be served at once, their answers would wait for each other in memory, and Node does not say
   * of those that wait when their client has left.
   */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (this.#busy.has(socket)) {
      socket.destroy()
      return false
    }
    if (this.#isDraining) response.shouldKeepAlive = false
    this.#busy.add(socket)
    this.#open.add(response)
    response.once('close', () => {
      this.#busy.delete(socket)
      this.#open.delete(response)
    })
    return true
  }

  /** Cuts those who take least of what they are sent, as long as all of it together is too much to hold. */
  relieve(bytesMax = unreadAnswersBytesMax): void {
    const unread = [...this.#open].map((response) => ({ response, bytes: response.writableLength }))
    let left = unread.reduce((sum, { bytes }) => sum + bytes, 0)
    if (left <= bytesMax) return
    for (const { response, bytes } of unread.sort((one, other) => other.bytes - one.bytes)) {
      if (left <= bytesMax) return
      response.destroy()
      left -= bytes
    }
  }

  /** From now on each connection ends with the answer that it waits for, and the client is told so. */
  drain(): void {
    this.#isDraining = true
    for (const response of this.#open) response.shouldKeepAlive = false
  }
}
