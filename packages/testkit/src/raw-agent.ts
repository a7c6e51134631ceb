import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly result?: { readonly [key: string]: unknown }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Any JSON-RPC message, as it came. */
export interface RawMessage extends RawAnswer {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: { readonly [key: string]: unknown }
}

export interface RawAgentOptions {
  readonly era: 'legacy' | 'modern'
  /** Beside the key: `as`, `token`. */
  readonly attach?: { readonly [key: string]: unknown }
  readonly capabilities?: { readonly [key: string]: unknown }
  /** Sees every line before it is read; true: it has taken it. */
  readonly onLine?: (line: Buffer) => boolean
  /** Whatever is no answer to a request of ours: notifications, requests of the hub, stray answers. */
  readonly onMessage?: (message: RawMessage) => void
}

const clientInfo = { name: 'raw-agent', version: '1' }

/**
 * An agent on `mcp.sock` of lines made by hand, and so cheap that many fit into one process. Request ids count from 1 in
 * every agent. It checks nothing that it receives.
 */
export class RawAgent {
  readonly #socket: Socket
  readonly #options: RawAgentOptions
  readonly #waiting = new Map<unknown, { resolve(answer: RawMessage): void; reject(error: Error): void }>()
  readonly #rest: Buffer[] = []
  #serial = 0
  /** Resolves when the hub has closed the connection, or we have. */
  readonly closed: Promise<void>

  private constructor(path: string, options: RawAgentOptions) {
    this.#options = options
    this.#socket = connect(path)
    this.#socket.on('data', (chunk: Buffer) => this.#push(chunk))
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()))
    this.#socket.once('close', () => this.#giveUp())
    // Its close follows.
    this.#socket.on('error', () => undefined)
  }

  /** Introduces itself and, where the era has it, shakes hands. */
  static async attach(path: string, options: RawAgentOptions): Promise<RawAgent> {
    const agent = new RawAgent(path, options)
    const attached = agent.#answerTo(undefined)
    agent.write({ callboard: 1, attach: { key: randomUUID(), ...options.attach } })
    const greeting = await attached
    if ('error' in greeting) throw new Error(`the hub refused the agent: ${JSON.stringify(greeting)}`)
    if (options.era === 'legacy') {
      const { capabilities = {} } = options
      await agent.ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
      agent.notify('notifications/initialized')
    } else await agent.ask('server/discover')
    return agent
  }

  ask(method: string, params: { readonly [key: string]: unknown } = {}): Promise<RawAnswer> {
    return this.begin(method, params).answer
  }

  /** For whoever must know the id while the request is open. */
  begin(method: string, params: { readonly [key: string]: unknown } = {}) {
    const id = ++this.#serial
    const answer = this.#answerTo(id)
    this.write({ jsonrpc: '2.0', id, method, params: this.#enveloped(params) })
    return { id, answer }
  }

  notify(method: string, params: { readonly [key: string]: unknown } = {}): void {
    this.write({ jsonrpc: '2.0', method, params: this.#enveloped(params) })
  }

  /** One line: a message, or any text at all. */
  write(line: object | string): void {
    this.#socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #enveloped(params: { readonly [key: string]: unknown }) {
    if (this.#options.era === 'legacy') return params
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': this.#options.capabilities ?? {},
      'io.modelcontextprotocol/clientInfo': clientInfo,
    }
    return { ...params, _meta: { ...meta, ...(params['_meta'] as object | undefined) } }
  }

  #answerTo(id: unknown): Promise<RawMessage> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      if (this.#socket.closed) this.#giveUp()
    })
  }

  #giveUp(): void {
    for (const [id, { reject }] of this.#waiting) reject(new Error(`the connection ended before the answer to ${id}`))
    this.#waiting.clear()
  }

  #push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...this.#rest.splice(0), chunk.subarray(start, end)])
      start = end + 1
      if (this.#options.onLine?.(line) !== true) this.#take(JSON.parse(line.toString('utf8')))
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start))
  }

  #take(message: RawMessage): void {
    const waiting = message.method === undefined ? this.#waiting.get(message.id) : undefined
    if (waiting === undefined) return this.#options.onMessage?.(message)
    this.#waiting.delete(message.id)
    waiting.resolve(message)
  }
}
