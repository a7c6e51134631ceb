import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  readonly status: number
  /** Of the status line and the headers, as they came. */
  readonly head: string
  readonly body: string
}

export interface OpenRequest {
  readonly request: string
  readonly answered: (answer: HttpAnswer) => void
  /** A server closes a connection that is idle for long: whatever was sent at that moment it has not read. */
  readonly mayBeRepeated: boolean
}

const lastChunk = '0\r\n\r\n'

/** One connection that is kept alive, with one request at a time; no parser could be much cheaper. Reads ASCII only. */
export class HttpConnection {
  readonly #socket: Socket
  readonly #pieces: Buffer[] = []
  #length = 0
  /** Bytes of the whole answer; undefined until its head is there, Infinity for one in chunks. */
  #expected: number | undefined
  #open: { readonly request: string; readonly answered: (answer: HttpAnswer) => void } | undefined
  #hasAnswered = false

  /** `closed` hears of the end, with what was asked and not answered. */
  constructor(url: URL, closed: (connection: HttpConnection, open?: OpenRequest) => void) {
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
    this.#socket.on('data', (chunk: Buffer) => this.#push(chunk))
    // Its close follows.
    this.#socket.on('error', () => undefined)
    this.#socket.once('close', () => {
      const mayBeRepeated = this.#hasAnswered && this.#length === 0
      closed(this, this.#open && { ...this.#open, mayBeRepeated })
    })
  }

  /** `request` is ASCII, with head and body. */
  ask(request: string, answered: (answer: HttpAnswer) => void): void {
    this.#open = { request, answered }
    this.#socket.write(request, 'latin1')
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy()
  }

  #push(chunk: Buffer): void {
    this.#pieces.push(chunk)
    this.#length += chunk.length
    this.#expected ??= this.#expectedBytes()
    if (this.#expected === undefined) return
    const isWhole = this.#expected === Number.POSITIVE_INFINITY ? this.#hasLastChunk() : this.#length >= this.#expected
    if (isWhole) this.#finish()
  }

  #expectedBytes(): number | undefined {
    if (this.#pieces.length > 1) this.#pieces.splice(0, this.#pieces.length, Buffer.concat(this.#pieces))
    const [piece] = this.#pieces
    const end = piece!.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    const length = /\r\ncontent-length: *(\d+)/i.exec(piece!.toString('latin1', 0, end))?.[1]
    return length === undefined ? Number.POSITIVE_INFINITY : end + 4 + Number(length)
  }

  #hasLastChunk(): boolean {
    const last = this.#pieces.at(-1)!
    const end = last.length >= lastChunk.length ? last : Buffer.concat(this.#pieces.slice(-2))
    return end.toString('latin1', Math.max(0, end.length - lastChunk.length)) === lastChunk
  }

  #finish(): void {
    const text = (this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)).toString('latin1')
    const isChunked = this.#expected === Number.POSITIVE_INFINITY
    const end = text.indexOf('\r\n\r\n')
    const body = text.slice(end + 4)
    this.#pieces.length = 0
    this.#length = 0
    this.#expected = undefined
    const { answered } = this.#open!
    this.#open = undefined
    this.#hasAnswered = true
    answered({
      status: Number(text.slice(9, 12)),
      head: text.slice(0, end),
      body: isChunked ? joinChunks(body) : body,
    })
  }
}

export function joinChunks(body: string): string {
  let joined = ''
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const bytes = Number.parseInt(body.slice(at, lineEnd), 16)
    if (!(bytes > 0)) return joined
    joined += body.slice(lineEnd + 2, lineEnd + 2 + bytes)
    at = lineEnd + 2 + bytes + 2
  }
}
