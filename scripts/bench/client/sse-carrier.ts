import { request } from 'node:http'
import type { Carrier, CarrierEvents } from './carrier.js'
import { eventsIn } from './event-stream.js'
import { HttpConnection } from './http-connection.js'

const blank = Buffer.from('\n\n')

/** The transport of 2024: all answers come on one stream, messages go to the address that its first event names. */
export class SseCarrier implements Carrier {
  readonly #url: URL
  readonly #events: CarrierEvents
  readonly #stream
  readonly #free: HttpConnection[] = []
  readonly #all: HttpConnection[] = []
  readonly #waiting: string[] = []
  #pieces: Buffer[] = []
  #target: string | undefined

  constructor(url: string, events: CarrierEvents) {
    this.#url = new URL(url)
    this.#events = events
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
    for (const connection of this.#all) connection.close()
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
    const connection = this.#free.pop() ?? this.#connect()
    const head = `POST ${target} HTTP/1.1\r\nhost: ${this.#url.host}\r\ncontent-type: application/json\r\n`
    connection.ask(`${head}content-length: ${message.length}\r\n\r\n${message}`, ({ status, body }) => {
      this.#free.push(connection)
      if (status >= 300) this.#events.fail(`HTTP ${status}: ${body.slice(0, 300)}`)
    })
  }

  #connect(): HttpConnection {
    const connection = new HttpConnection(this.#url, this.#events.fail)
    this.#all.push(connection)
    return connection
  }
}
