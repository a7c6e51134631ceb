import { Dealer } from 'zeromq'
import type { Carrier, CarrierEvents } from './carrier.js'

/** JSON-RPC as single frames, to a ROUTER. */
export class DealerCarrier implements Carrier {
  readonly #socket = new Dealer({ linger: 0, sendHighWaterMark: 10_000, receiveHighWaterMark: 10_000, sendTimeout: 0 })
  readonly #events: CarrierEvents

  constructor(endpoint: string, events: CarrierEvents) {
    this.#events = events
    this.#socket.connect(endpoint)
    void this.#receive().catch((error) => events.fail(`${error}`))
  }

  send(messages: readonly string[]): void {
    for (const message of messages) this.#socket.send(message).catch((error) => this.#events.fail(`${error}`))
  }

  close(): void {
    this.#socket.close()
  }

  async #receive(): Promise<void> {
    for await (const [frame] of this.#socket) this.#events.deliver([frame!.toString('latin1')])
  }
}
