import { connect } from 'node:net'
import type { Loose } from '../../../hub/test/mcp/fake-hub.js'
import type { Revision } from './line-client.js'

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed where it is JSON. */
  readonly body: Loose
}

type Headers = Readonly<Record<string, string | readonly string[]>>

/** A client that sends any bytes over TCP, and knows of HTTP only how answers end. */
export class HttpClient {
  readonly revision: Revision
  readonly #url: URL
  #session: Headers = {}
  #serial = 0

  private constructor(revision: Revision, url: URL) {
    this.revision = revision
    this.#url = url
  }

  /** Shakes hands where the revision does, and is in that session then. */
  static async open(revision: Revision, url: URL): Promise<HttpClient> {
    const client = new HttpClient(revision, url)
    if (client.isModern) return client
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'garbage', version: '1' } }
    const [opened] = await client.say(client.post(client.request('i', 'initialize', params)))
    client.#session = { 'mcp-session-id': opened!.headers['mcp-session-id']! }
    await client.say(client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}'))
    return client
  }

  get isModern(): boolean {
    return this.revision === '2026-07-28'
  }

  /** A JSON-RPC request as the revision wants it. */
  request(id: unknown, method: string, params: object = {}): string {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ...(this.isModern && { _meta }) } })
  }

  /** A harmless call. */
  echo(id: unknown, text = 'x'): string {
    return this.request(id, 'tools/call', { name: 'echo', arguments: { text } })
  }

  /** An HTTP request with this body; a header of '' is left out. After it the connection ends, unless told otherwise. */
  post(body: string | Uint8Array, headers: Headers = {}): Buffer {
    const bytes = Buffer.from(body)
    const all: Headers = {
      host: this.#url.host,
      connection: 'close',
      'content-type': 'application/json',
      accept: 'application/json',
      'content-length': String(bytes.length),
      'mcp-protocol-version': this.revision,
      ...(this.isModern && { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }),
      ...this.#session,
      ...headers,
    }
    const lines = Object.entries(all).flatMap(([name, values]) =>
      [values].flat().flatMap((value) => (value === '' ? [] : [`${name}: ${value}\r\n`])),
    )
    return Buffer.concat([Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
  }

  /** Sends the bytes on a connection of their own, and returns what came back until the hub ended it. */
  say(bytes: string | Uint8Array, { thenEnd = false } = {}): Promise<HttpReply[]> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.#url.port), this.#url.hostname)
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      // The hub may well hang up on us.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        try {
          resolve(repliesIn(Buffer.concat(chunks)))
        } catch (error) {
          reject(error)
        }
      })
      socket.write(bytes)
      if (thenEnd) socket.end()
    })
  }

  /** Whether a well-formed request is answered as if nothing had been. */
  async isServed(): Promise<boolean> {
    const id = ++this.#serial
    const [reply] = await this.say(this.post(this.echo(id)))
    return reply?.status === 200 && reply.body.id === id && reply.body.result.content[0].text === 'x'
  }
}

function repliesIn(bytes: Buffer): HttpReply[] {
  const split = bytes.indexOf('\r\n\r\n')
  if (split === -1) return []
  const [first = '', ...lines] = bytes.subarray(0, split).toString().split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const start = split + 4
  const { content, end } =
    headers['transfer-encoding'] === 'chunked' ? chunksFrom(bytes, start) : lengthFrom(bytes, start, headers)
  const body = headers['content-type']?.startsWith('application/json') ? JSON.parse(content) : content
  return [{ status: Number(first.split(' ')[1]), headers, body }, ...repliesIn(bytes.subarray(end))]
}

function lengthFrom(bytes: Buffer, start: number, headers: Readonly<Record<string, string>>) {
  const end = start + Number(headers['content-length'] ?? 0)
  return { content: bytes.toString('utf8', start, end), end }
}

function chunksFrom(bytes: Buffer, start: number) {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const size = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.toString('latin1', at, size), 16)
    at = size + 2 + length + 2
    if (!(length > 0)) return { content: Buffer.concat(chunks).toString(), end: at }
    chunks.push(bytes.subarray(size + 2, at - 2))
  }
}
