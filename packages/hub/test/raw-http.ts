import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** null: without it. */
export type RawHeaders = Readonly<Record<string, string | number | null>>

/** One connection to the HTTP port, and bytes as the test wants them. */
export class RawHttp {
  readonly socket: Socket
  readonly port: number
  /** All that came, a character for each byte. */
  text = ''
  #isOver = false
  #isHead = false
  #wake: () => void = () => undefined

  private constructor(socket: Socket, port: number) {
    this.socket = socket
    this.port = port
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.text += chunk
      this.#wake()
    })
    const over = () => {
      this.#isOver = true
      this.#wake()
    }
    socket.on('error', over).on('end', over).on('close', over)
    onTestFinished(() => void socket.destroy())
  }

  static async open(port: number): Promise<RawHttp> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    await once(socket, 'connect')
    return new RawHttp(socket, port)
  }

  /** Bytes, one for each character. */
  write(text: string): this {
    this.socket.write(text, 'latin1')
    return this
  }

  /** In one packet. */
  request(line: string, headers: RawHeaders = {}, body = ''): this {
    this.#isHead = line.startsWith('HEAD ')
    return this.write(requestText(this.port, line, headers, body))
  }

  /** Resolves when the pattern is in what came. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.#isOver) throw new Error(`${pattern} is not in what came: ${this.text}`)
      await this.#news()
    }
    return this.text
  }

  /** Resolves with all that came when the hub has ended the connection. */
  async ended(): Promise<string> {
    while (!this.#isOver) await this.#news()
    return this.text
  }

  /** The next answer, whole; it is taken from what came. */
  async answer(): Promise<{ readonly status: number; readonly head: string; readonly body: string }> {
    await this.until(/\r\n\r\n/)
    const end = this.text.indexOf('\r\n\r\n') + 4
    const head = this.text.slice(0, end)
    const length = await this.#bodyLength(head, end)
    while (this.text.length < end + length) await this.#news()
    const body = this.text.slice(end, end + length)
    this.text = this.text.slice(end + length)
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body }
  }

  /** Of the answers that came, in their order. */
  get statuses(): number[] {
    return [...this.text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))
  }

  async #bodyLength(head: string, start: number): Promise<number> {
    if (this.#isHead) return 0
    if (!/^transfer-encoding: chunked/im.test(head)) return Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    const last = '\r\n0\r\n\r\n'
    await this.until(/\r\n0\r\n\r\n/)
    return this.text.indexOf(last, start - 2) + last.length - start
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** With the headers that it needs, unless `headers` say otherwise. */
export function requestText(port: number, line: string, headers: RawHeaders = {}, body = ''): string {
  const length = body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const all = { Host: `localhost:${port}`, 'Content-Type': 'application/json', ...length, ...headers }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  const version = line.includes(' HTTP/') ? '' : ' HTTP/1.1'
  return `${[`${line}${version}`, ...lines].join('\r\n')}\r\n\r\n${body}`
}
