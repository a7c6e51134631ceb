import {
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

interface Stop {
  readonly when: 'before' | 'behind'
  readonly matches: (call: string) => boolean
  left: number
  readonly reached: () => void
}

/** Stands between a worker and a network's server, and can keep a request, or the answer to it, for ever. */
export class Crossing implements AsyncDisposable {
  readonly #server = createServer((incoming, response) => void this.#pass(incoming, response))
  readonly #target: URL
  #stop: Stop | undefined

  private constructor(target: URL) {
    this.#target = target
  }

  static async to(target: string): Promise<Crossing> {
    const crossing = new Crossing(new URL(target))
    await new Promise<void>((resolve) => crossing.#server.listen(0, '127.0.0.1', resolve))
    return crossing
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /**
   * Keeps the n-th call like that, `before` the server has seen it or `behind` it; resolves when it is there. Everything that
   * comes later passes.
   */
  keep(when: Stop['when'], call: RegExp, nth = 1): Promise<void> {
    return new Promise((reached) => {
      this.#stop = { when, matches: (seen) => call.test(seen), left: nth, reached }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const stop = this.#stopFor(`${incoming.method} ${incoming.url}`)
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    if (stop?.when === 'before') return stop.reached()
    const { method, headers } = incoming
    const options: RequestOptions = {
      host: this.#target.hostname,
      port: this.#target.port,
      path: incoming.url,
      method,
      headers,
      agent: false,
    }
    const onward = requestOf(options, (answer) => {
      if (stop !== undefined) {
        answer.resume().once('end', stop.reached)
        return
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.once('error', () => response.destroy())
    onward.end(Buffer.concat(chunks))
  }

  #stopFor(call: string): Stop | undefined {
    const stop = this.#stop
    if (stop === undefined || !stop.matches(call)) return undefined
    stop.left -= 1
    if (stop.left > 0) return undefined
    this.#stop = undefined
    return stop
  }
}
