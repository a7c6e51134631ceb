import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** A tool and what it is called with, as the bytes between a call's id and its end. */
export type CallText = string

export function callText(name: string, args: { readonly [key: string]: unknown }): CallText {
  return `,"method":"tools/call","params":${JSON.stringify({ name, arguments: args })}}\n`
}

const clientInfo = { name: 'bench', version: '1' }

/** A legacy client of lines made by hand: all that it does with an answer is to find its end and its id. */
export class CallLines {
  readonly #pipe: Duplex
  #rest: Buffer | undefined
  #serial = 0
  /** Takes each line that comes. */
  #take: (line: Buffer) => void = () => undefined
  /** Resolves when the other end has closed it, or we have. */
  readonly closed: Promise<unknown>

  private constructor(pipe: Duplex) {
    this.#pipe = pipe
    pipe.on('data', (chunk: Buffer) => this.#push(chunk))
    pipe.on('error', () => undefined)
    this.closed = new Promise((resolve) => pipe.once('close', resolve))
  }

  /** On `mcp.sock`. @throws when the hub has no place for it */
  static async attach(path: string): Promise<CallLines> {
    const socket = connect(path)
    await once(socket, 'connect')
    const lines = new CallLines(socket)
    const greeting = await lines.#line(`${JSON.stringify({ callboard: 1, attach: { key: randomUUID() } })}\n`)
    if (!greeting.includes('"attached"')) throw new Error(`the hub refused an agent: ${greeting}`)
    return lines.#shakeHands()
  }

  /** On what a server reads and writes. */
  static speak(pipe: Duplex): Promise<CallLines> {
    return new CallLines(pipe).#shakeHands()
  }

  /** One request of any kind; its answer as text. */
  async ask(method: string, params: object = {}): Promise<string> {
    const id = ++this.#serial
    return (await this.#line(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)).toString('utf8')
  }

  /** As many calls as there are texts in one write; resolves with the bytes of the answers when all are there. */
  burst(texts: readonly CallText[]): Promise<number> {
    let open = texts.length
    let bytes = 0
    return new Promise((resolve, reject) => {
      this.#take = (line) => {
        bytes += line.byteLength
        if (isFailed(line)) reject(failed(line))
        open -= 1
        if (open === 0) resolve(bytes)
      }
      this.#pipe.write(texts.map((text) => `{"jsonrpc":"2.0","id":${++this.#serial}${text}`).join(''))
    })
  }

  /** Keeps as many calls open as `inFlight` until `isOver`; resolves with how long each took, in ms, when none is open. */
  loop(inFlight: number, next: () => CallText, isOver: () => boolean): Promise<number[]> {
    const begun = new Map<number, number>()
    const times: number[] = []
    const begin = () => {
      const id = ++this.#serial
      begun.set(id, performance.now())
      this.#pipe.write(`{"jsonrpc":"2.0","id":${id}${next()}`)
    }
    return new Promise((resolve, reject) => {
      this.#take = (line) => {
        if (isFailed(line)) reject(failed(line))
        const id = idOf(line)
        const at = begun.get(id)
        // A notification, say of a list that changed.
        if (at === undefined) return
        times.push(performance.now() - at)
        begun.delete(id)
        if (!isOver()) begin()
        else if (begun.size === 0) resolve(times)
      }
      for (let count = 0; count < inFlight; count += 1) begin()
    })
  }

  close(): void {
    this.#pipe.destroy()
  }

  async #shakeHands(): Promise<this> {
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    this.#pipe.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    return this
  }

  async #line(text: string): Promise<Buffer> {
    this.#pipe.write(text)
    const line = new Promise<Buffer>((resolve) => {
      this.#take = (line) => {
        // Notices have a method.
        if (!line.subarray(0, 120).includes('"method"')) resolve(line)
      }
    })
    const ended = this.closed.then(() => {
      throw new Error('the connection ended before the answer')
    })
    return Promise.race([line, ended])
  }

  #push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      this.#take(bytes.subarray(start, end))
      start = end + 1
    }
    this.#rest = start < bytes.length ? bytes.subarray(start) : undefined
  }
}

const lineFeed = 0x0a

/** It stands near either end, whatever the order of the fields; what tools answer here holds none. */
function idOf(line: Buffer): number {
  const head = line.toString('latin1', 0, 60)
  const [, id] =
    /"id":(\d+)/.exec(head) ?? /"id":(\d+)/.exec(line.toString('latin1', Math.max(0, line.length - 60))) ?? []
  return Number(id)
}

const isFailed = (line: Buffer) => line.includes('"error":{') || line.includes('"isError":true')
const failed = (line: Buffer) => new Error(`a call failed: ${line.toString('utf8', 0, 400)}`)
