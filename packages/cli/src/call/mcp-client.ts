import type { Socket } from 'node:net'
import { escapeControls } from '../escape-controls.js'
import * as limits from '../limits.js'
import { LineSplitter } from '../shim/line-splitter.js'
import { CommandError } from '../usage-error.js'
import { version } from '../version.js'

type Message = Readonly<Record<string, unknown>>

/** The hub's or a worker's error answer; the message is for people. */
export class McpError extends CommandError {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(escapeControls(message))
    this.code = code
    this.data = data
  }
}

/** What one call from the command line needs of MCP, over the hub's socket. */
export class McpClient {
  readonly #socket: Socket
  readonly #splitter = new LineSplitter(limits.replyBytesMax)
  readonly #open = new Map<number, { resolve(result: Message): void; reject(error: Error): void }>()
  readonly #onNotification: (method: string, params: Message) => void
  #lastId = 0
  #ended: CommandError | undefined

  constructor(socket: Socket, onNotification: (method: string, params: Message) => void = () => {}) {
    this.#socket = socket
    this.#onNotification = onNotification
    socket.on('data', (chunk: Buffer) => {
      for (const line of this.#splitter.push(chunk)) {
        if (line.kind === 'line') this.#receive(JSON.parse(line.bytes.toString('utf8')) as Message)
        else this.#fail(new CommandError('The hub’s answer is too long.'))
      }
    })
    socket.on('error', () => {})
    socket.once('close', () =>
      this.#fail(new CommandError('The hub went away: whether the call took effect is unknown.')),
    )
    socket.resume()
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'callboard-call', version }
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    this.notify('notifications/initialized')
  }

  /** Rejects with an McpError, or a CommandError when the hub goes away. */
  request(method: string, params: object = {}): Promise<Message> {
    const id = ++this.#lastId
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.#send({ id, method, params })
    })
  }

  notify(method: string, params?: object): void {
    this.#send({ method, ...(params !== undefined && { params }) })
  }

  /** @throws CommandError that says why nothing can be asked any more. */
  requireOpen(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  /** Gives up what is still open; nothing is asked afterwards. */
  cancelAll(reason: string): void {
    for (const requestId of this.#open.keys()) this.notify('notifications/cancelled', { requestId, reason })
    this.#fail(new CommandError(reason))
  }

  close(): void {
    this.#socket.end()
  }

  #send(message: object): void {
    this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #receive(message: Message): void {
    const { id, method, params = {}, result, error } = message
    if (message['callboard'] !== undefined) {
      const { message: why } = error as { readonly message: string }
      return this.#fail(new CommandError(escapeControls(`${why} Whether the call took effect is unknown.`)))
    }
    if (typeof method === 'string') {
      if (id === undefined) this.#onNotification(method, params as Message)
      // We offered nothing that could be asked for.
      else this.#send({ id, error: { code: -32601, message: 'Method not found' } })
      return
    }
    const open = this.#open.get(id as number)
    this.#open.delete(id as number)
    if (error === undefined) open?.resolve(result as Message)
    else open?.reject(new McpError(error as { code: number; message: string }))
  }

  #fail(error: CommandError): void {
    this.#ended ??= error
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const { reject } of open) reject(error)
  }
}
