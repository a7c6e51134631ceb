import { request } from 'node:http'
import type { Carrier, CarrierEvents } from './carrier.js'
import { eventsIn } from './event-stream.js'
import { HttpConnections } from './http-connections.js'
import { plainText } from './plain-text.js'

const blank = Buffer.from('\n\n')

/** The transport of 2024: all answers come on one stream, messages go to the address that its first event names. */
export class SseCarrier implements Carrier {
  readonly #url: URL
  readonly #events: CarrierEvents
  readonly #stream
  readonly #connections: HttpConnections
  readonly #waiting: string[] = []
  #pieces: Buffer[] = []
  #target: string | undefined

  constructor(url: string, events: CarrierEvents) {
    this.#url = new URL(url)
    this.#events = events
    this.#connections = new HttpConnections(this.#url, events.fail)
    this.#stream = request(url, { headers: { accept: 'text/event-stream' } }, (response) => {
      if (response.statusCode !== 200) return events.fail(`HTTP ${response.statusCode}`)
      response.on('data', (chunk: Buffer) => this.#push(chunk))
      response.once('close', () => events.fail('the stream has ended'))
    })
    this.#stream.on('error', (error) => events.fail(error.message))
    this.#stream.end()
  }

  send(messages: readonly string[]): void {
    if (this.#target === undefined) this.#waiting.push(...messages)
    else for (const message of messages) this.#post(this.#target, message)
  }

  close(): void {
    this.#stream.destroy()
    this.#connections.close()
  }

  #push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(blank)
    if (end === -1 && !chunk.subarray(-4).toString('latin1').endsWith('\r\n\r\n')) {
      this.#pieces.push(chunk)
      return
    }
    const whole = end === -1 ? chunk : chunk.subarray(0, end + blank.length)
    const text = Buffer.concat([...this.#pieces, whole]).toString('latin1')
    this.#pieces = whole.length < chunk.length ? [chunk.subarray(whole.length)] : []
    const messages: string[] = []
    for (const { event, data } of eventsIn(text)) {
      if (event === 'endpoint') this.#aim(data)
      else messages.push(data)
    }
    if (messages.length > 0) this.#events.deliver(messages)
  }

  #aim(address: string): void {
    const { pathname, search } = new URL(address, this.#url)
    this.#target = `${pathname}${search}`
    this.send(this.#waiting.splice(0))
  }

  #post(target: string, message: string): void {
    const head = `POST ${target} HTTP/1.1\r\nhost: ${this.#url.host}\r\ncontent-type: application/json\r\n`
    this.#connections.ask(`${head}content-length: ${message.length}\r\n\r\n${message}`, ({ status, body }) => {
      if (status >= 300) this.#events.fail(`HTTP ${status}: ${plainText(body)}`)
    })
  }
}
