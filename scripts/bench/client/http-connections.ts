import { type HttpAnswer, HttpConnection, type OpenRequest } from './http-connection.js'

/** As many connections to one server as there are requests at once, each kept for the next. */
export class HttpConnections {
  readonly #url: URL
  readonly #fail: (problem: string) => void
  readonly #all = new Set<HttpConnection>()
  readonly #free: HttpConnection[] = []

  constructor(url: URL, fail: (problem: string) => void) {
    this.#url = url
    this.#fail = fail
  }

  /** `request` is ASCII, with head and body. */
  ask(request: string, answered: (answer: HttpAnswer) => void): void {
    this.#askOn(this.#free.pop() ?? this.#connect(), request, answered)
  }

  close(): void {
    for (const connection of this.#all) connection.close()
  }

  #askOn(connection: HttpConnection, request: string, answered: (answer: HttpAnswer) => void): void {
    connection.ask(request, (answer) => {
      this.#free.push(connection)
      answered(answer)
    })
  }

  #connect(): HttpConnection {
    const connection = new HttpConnection(this.#url, (closed, open) => this.#forget(closed, open))
    this.#all.add(connection)
    return connection
  }

  #forget(closed: HttpConnection, open: OpenRequest | undefined): void {
    this.#all.delete(closed)
    const place = this.#free.indexOf(closed)
    if (place !== -1) this.#free.splice(place, 1)
    if (open === undefined) return
    if (open.mayBeRepeated) this.#askOn(this.#connect(), open.request, open.answered)
    else this.#fail('the connection was closed before the answer')
  }
}
