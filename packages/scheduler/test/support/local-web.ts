import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SeenRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Served {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
}

/** `never`: the request stays without an answer. */
export type Answering = (request: SeenRequest) => Served | 'never' | 'hang up'

/** A real HTTP server on the loopback that plays a service of the web. */
export class LocalWeb implements AsyncDisposable {
  readonly requests: SeenRequest[] = []
  readonly url: string
  readonly #server: ReturnType<typeof createServer>
  #arrived: () => void = () => {}

  static async start(answer: Answering): Promise<LocalWeb> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new LocalWeb(server, answer)
  }

  private constructor(server: ReturnType<typeof createServer>, answer: Answering) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => void this.#serve(request, response, answer))
  }

  /** Resolves with the next request. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse, answer: Answering): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const seen = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
    this.requests.push(seen)
    const served = answer(seen)
    this.#arrived()
    if (served === 'never') return
    if (served === 'hang up') return void request.socket.destroy()
    const { status = 200, body = '' } = served
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...served.headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
