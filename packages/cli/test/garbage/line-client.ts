import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { Loose } from '../../../hub/test/mcp/fake-hub.js'
import type { Installation } from '../support/installation.js'

export const lineWays = ['mcp.sock', 'callboard stdio', 'callboard hub --stdio'] as const
export type LineWay = (typeof lineWays)[number]
export const revisions = ['2025-03-26', '2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

interface Ends {
  readonly input: Readable
  readonly output: Writable
  readonly kill: () => void
  /** Of the process between us and the hub, if there is one. */
  readonly pid?: number
  /** The exit code, where there is a process between us and the hub. */
  readonly ended: Promise<unknown>
}

/** A client that sends any bytes, and keeps every line that comes. */
export class LineClient {
  readonly way: LineWay
  readonly revision: Revision
  readonly ends: Ends
  /** What has come since the last {@link wellFormed}. */
  #lines: Loose[] = []
  #rest = ''
  #wake: () => void = () => undefined
  #serial = 0

  private constructor(way: LineWay, revision: Revision, installation: Installation) {
    const ends = way === 'mcp.sock' ? toSocket(installation) : toProcess(way, installation)
    this.way = way
    this.ends = ends
    this.revision = revision
    // The hub may well hang up on us.
    for (const stream of [ends.input, ends.output]) stream.on('error', () => undefined)
    ends.input.setEncoding('utf8').on('data', (chunk: string) => this.#push(chunk))
  }

  /** Comes in, and shakes hands where the revision does. */
  static async open(way: LineWay, revision: Revision, installation: Installation): Promise<LineClient> {
    const client = new LineClient(way, revision, installation)
    if (way === 'mcp.sock') {
      client.send({ callboard: 1, attach: { key: randomUUID() } })
      await client.#until((message) => message.callboard === 1)
    }
    if (revision !== '2026-07-28') {
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'garbage', version: '1' } }
      client.send({ jsonrpc: '2.0', id: 'i', method: 'initialize', params })
      await client.#until(({ id }) => id === 'i')
      client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    }
    await client.wellFormed()
    return client
  }

  /** Any bytes, as they are. */
  write(bytes: string | Uint8Array): void {
    this.ends.output.write(bytes)
  }

  /** One message. */
  send(message: object): void {
    this.write(`${JSON.stringify(message)}\n`)
  }

  /** A request as the revision wants it. */
  request(id: unknown, method: string, params: object = {}): string {
    return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ...this.envelope } })
  }

  get envelope(): object {
    if (this.revision !== '2026-07-28') return {}
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    return { _meta: meta }
  }

  /** Waits for as many lines, then asks something harmless, and returns all that came but the answer to it. */
  async wellFormed(count = 0): Promise<Loose[]> {
    while (this.#lines.length < count) await this.#news()
    const ours = `well-formed ${++this.#serial}`
    this.write(`${this.request(ours, 'completion/complete', harmless)}\n`)
    return this.#until(({ id }) => id === ours)
  }

  async #until(isLast: (message: Loose) => boolean): Promise<Loose[]> {
    for (;;) {
      const index = this.#lines.findIndex(isLast)
      if (index !== -1) return this.#lines.splice(0, index + 1).slice(0, -1)
      await this.#news()
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #push(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop()!
    // A worker's sign-in is told whenever it happens.
    const messages = lines.map((line) => JSON.parse(line))
    this.#lines.push(...messages.filter(({ method }) => !method?.endsWith('/list_changed')))
    this.#wake()
  }
}

/** Goes through to the worker, so that what was asked before has been answered by then. */
const harmless = {
  ref: { type: 'ref/prompt', name: 'greeting' },
  argument: { name: 'name', value: 'x' },
}

function toSocket(installation: Installation): Ends {
  const socket = connect(`${installation.runtime}/mcp.sock`)
  const ended = new Promise((resolve) => socket.once('close', resolve))
  return { input: socket, output: socket, kill: () => socket.destroy(), ended }
}

function toProcess(way: LineWay, installation: Installation): Ends {
  const child = installation.spawn(way.split(' ').slice(1))
  child.stderr.resume()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return { input: child.stdout, output: child.stdin, kill: () => child.kill('SIGKILL'), pid: child.pid!, ended }
}
