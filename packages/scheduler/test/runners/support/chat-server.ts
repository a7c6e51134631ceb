import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ChatRequest {
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content?: string }[]
    readonly tools?: readonly { readonly function: { readonly name: string } }[]
    readonly tool_choice?: string
  }
}

/** What the endpoint does with one request. */
export interface ChatReply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly json?: object
  readonly text?: string
  readonly endless?: boolean
  readonly hangsUp?: boolean
  readonly silent?: boolean
}

/** A chat endpoint on loopback that answers by a script, and keeps what it was asked. */
export class ChatServer implements AsyncDisposable {
  readonly requests: ChatRequest[] = []
  /** When the first request is there, and when its connection has ended. */
  readonly asked: Promise<unknown>
  readonly left: Promise<unknown>
  readonly #server: Server
  readonly #replies: ChatReply[]

  static async start(replies: readonly ChatReply[]): Promise<ChatServer> {
    const server = createServer()
    const chat = new ChatServer(server, replies)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return chat
  }

  private constructor(server: Server, replies: readonly ChatReply[]) {
    this.#server = server
    this.#replies = [...replies]
    const arrived = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    this.asked = arrived
    this.left = arrived.then(([, response]) => once(response, 'close'))
    server.on('request', (request, response) => void this.#answer(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo | null)?.port ?? this.#port}/v1/`
  }

  #port = 0

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return
    this.#port = (this.#server.address() as AddressInfo).port
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as ChatRequest['body']
    this.requests.push({ path: request.url, authorization: request.headers.authorization, body })
    const reply = this.#replies.shift() ?? { status: 500 }
    if (reply.silent) return
    if (reply.hangsUp) return void request.socket.destroy()
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    if (reply.endless) return flood(response)
    response.end(reply.text ?? JSON.stringify(reply.json ?? {}))
  }
}

export function says(content: string, usage?: object): ChatReply {
  const message = { role: 'assistant', content }
  return { json: { choices: [{ index: 0, finish_reason: 'stop', message }], ...(usage && { usage }) } }
}

export function wants(...calls: readonly (readonly [name: string, args: string])[]): ChatReply {
  const tool_calls = calls.map(([name, args], index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: args },
  }))
  const message = { role: 'assistant', content: null, tool_calls }
  return { json: { choices: [{ index: 0, finish_reason: 'tool_calls', message }] } }
}

function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (!response.destroyed && response.write(chunk)) {}
  }
  response.on('drain', more)
  response.on('error', () => {})
  more()
}
