import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TransientMap } from '@callboard/protocol'
import { unreadAnswersBytesMax } from './limits.js'

/** The answers that are not out yet, one per connection. */
export class OpenExchanges {
  readonly #open = new TransientMap<Socket, ServerResponse>()
  #isDraining = false

  /**
   * False for a request that does not wait for the answer to the one before it: its connection is cut. No client of today
   * sends such; they would all be served at once, their answers would wait for each other in memory, and Node does not say
   * of those that wait when their client has left.
   */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (this.#open.has(socket)) {
      socket.destroy()
      return false
    }
    if (this.#isDraining) response.shouldKeepAlive = false
    this.#open.set(socket, response)
    response.on('close', () => this.#open.delete(socket))
    return true
  }

  /** Cuts those who take least of what they are sent, as long as all of it together is too much to hold. */
  relieve(bytesMax = unreadAnswersBytesMax): void {
    const unread = [...this.#open.values()].map((response) => ({ response, bytes: response.writableLength }))
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
    for (const response of this.#open.values()) response.shouldKeepAlive = false
  }
}
