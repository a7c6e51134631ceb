import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a server and hands everything on, except for answers that it is told to keep. */
export class LossyProxy implements AsyncDisposable {
  readonly url: string
  readonly #server: Server
  #kept: { readonly path: string; readonly done: () => void } | undefined

  private constructor(server: Server, target: string) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (asked, answer) => {
      const { method, headers, url = '/' } = asked
      const onward = request(`${target}${url}`, { method, headers }, (given) => {
        if (this.#kept !== undefined && url.endsWith(this.#kept.path)) {
          given.resume()
          given.on('end', this.#kept.done)
          this.#kept = undefined
          return
        }
        answer.writeHead(given.statusCode ?? 502, given.headers)
        given.pipe(answer)
      })
      onward.on('error', () => answer.destroy())
      asked.pipe(onward)
    })
  }

  static async before(target: string): Promise<LossyProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new LossyProxy(server, target)
  }

  /** Resolves when the next such request has been carried out; whoever made it never hears of that. */
  keepAnswer(path: string): Promise<void> {
    return new Promise((done) => {
      this.#kept = { path, done }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
