import { connect } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { Carrier, CarrierEvents } from './carrier.js'
import { Lines } from './lines.js'

/** JSON-RPC as lines, on pipes or a socket. */
export class LineCarrier implements Carrier {
  readonly #output: Writable

  constructor(input: Readable, output: Writable, { deliver, fail }: CarrierEvents) {
    const lines = new Lines()
    this.#output = output
    input.on('data', (chunk: Buffer) => {
      const messages = lines.push(chunk)
      if (messages.length > 0) deliver(messages)
    })
    input.once('close', () => fail('the connection was closed'))
    output.on('error', (error) => fail(error.message))
  }

  /** `mcp.sock` wants to know who comes. */
  static attach(path: string, events: CarrierEvents): LineCarrier {
    const socket = connect(path)
    const carrier = new LineCarrier(socket, socket, events)
    socket.write(`${JSON.stringify({ callboard: 1, attach: { key: `bench-${process.pid}` } })}\n`)
    return carrier
  }

  send(messages: readonly string[]): void {
    this.#output.write(`${messages.join('\n')}\n`, 'latin1')
  }

  close(): void {
    this.#output.destroy()
  }
}
