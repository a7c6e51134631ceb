import { type Era, modernRevision } from './call-texts.js'
import type { Carrier, CarrierEvents } from './carrier.js'
import { eventsIn } from './event-stream.js'
import type { HttpAnswer } from './http-connection.js'
import { HttpConnections } from './http-connections.js'
import { plainText } from './plain-text.js'

/** Streamable HTTP: a POST for each message, on as many connections as there are messages at once. */
export class HttpCarrier implements Carrier {
  readonly #url: URL
  readonly #era: Era
  readonly #tool: string
  readonly #events: CarrierEvents
  readonly #connections: HttpConnections
  #session: string | undefined

  constructor(url: string, { era, tool }: { readonly era: Era; readonly tool: string }, events: CarrierEvents) {
    this.#url = new URL(url)
    this.#era = era
    this.#tool = tool
    this.#events = events
    this.#connections = new HttpConnections(this.#url, events.fail)
  }

  send(messages: readonly string[]): void {
    const head = this.#head()
    for (const message of messages) {
      this.#connections.ask(`${head}${message.length}\r\n\r\n${message}`, (answer) => this.#answered(answer))
    }
  }

  close(): void {
    this.#connections.close()
  }

  #answered({ status, head, body }: HttpAnswer): void {
    if (status >= 300) return this.#events.fail(`HTTP ${status}: ${plainText(body)}`)
    this.#session ??= /\r\nmcp-session-id: *([^\r\n]+)/i.exec(head)?.[1]
    if (body === '') return
    this.#events.deliver(body.startsWith('{') ? [body] : eventsIn(body).map(({ data }) => data))
  }

  #head(): string {
    const modern = `mcp-protocol-version: ${modernRevision}\r\nmcp-method: tools/call\r\nmcp-name: ${this.#tool}\r\n`
    return (
      `POST ${this.#url.pathname}${this.#url.search} HTTP/1.1\r\nhost: ${this.#url.host}\r\n` +
      'accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n' +
      (this.#session === undefined ? '' : `mcp-session-id: ${this.#session}\r\n`) +
      (this.#era === 'modern' ? modern : '') +
      'content-length: '
    )
  }
}
