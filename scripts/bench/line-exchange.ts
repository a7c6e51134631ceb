import { connect, type Socket } from 'node:net'

const clientInfo = { name: 'bench', version: '1' }
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/**
 * One question, one answer, on `mcp.sock`. It keeps nothing of what it reads, all of which goes into one buffer: a client that
 * makes buffers of its own measures the pauses in which they are collected.
 */
export class LineExchange {
  readonly #socket: Socket
  readonly #meta: object
  #bytes = 0
  #arrived: (bytes: number) => void = () => undefined

  private constructor(path: string, meta: object) {
    this.#meta = meta
    const callback = (count: number, buffer: Uint8Array) => {
      this.#bytes += count
      if (buffer[count - 1] === 0x0a) this.#arrived(this.#bytes)
      return true
    }
    this.#socket = connect({ path, onread: { buffer: Buffer.alloc(1024 * 1024), callback } })
  }

  static async attach(path: string, era: 'legacy' | 'modern'): Promise<LineExchange> {
    const exchange = new LineExchange(path, era === 'modern' ? { _meta: modernMeta } : {})
    await exchange.#send({ callboard: 1, attach: { key: `bench-${era}` } })
    if (era === 'legacy') {
      await exchange.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
      exchange.#write({ jsonrpc: '2.0', method: 'notifications/initialized' })
    }
    return exchange
  }

  /** Resolves with the bytes of the answer when its last one is there. */
  ask(method: string, params: object = {}): Promise<number> {
    return this.#send({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...this.#meta } })
  }

  close(): void {
    this.#socket.destroy()
  }

  #send(message: object): Promise<number> {
    this.#bytes = 0
    this.#write(message)
    return new Promise((resolve) => {
      this.#arrived = resolve
    })
  }

  #write(message: object): void {
    this.#socket.write(`${JSON.stringify(message)}\n`)
  }
}
