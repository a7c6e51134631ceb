import type { Readable, Writable } from 'node:stream'
import { TransientMap } from '@callboard/protocol'
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server'
import { Batches } from './batches.js'
import {
  fault,
  faultLine,
  internalError,
  invalidRequest,
  isCancellation,
  type LineFault,
  type Parsed,
  parseLine,
} from './json-rpc.js'
import * as limits from './limits.js'
import type { LineBudget } from './line-budget.js'
import { type Line, LineSplitter } from './line-splitter.js'
import { LineTurns } from './line-turns.js'
import { LineWriter } from './line-writer.js'

export interface NdjsonOptions {
  readonly input: Readable
  readonly output: Writable
  /** Ends the output with the connection; false for a standard output that others write to as well. Default true. */
  readonly endOutput?: boolean
  /** Sees every line before it is parsed; true: it has taken the line, and answers it by {@link NdjsonTransport.answer}. */
  readonly interceptLine?: (line: Buffer) => boolean
  /** Sees every message before the SDK; true: it has taken the message, and answers it by {@link NdjsonTransport.sendLine}. */
  readonly intercept?: (message: JSONRPCMessage) => boolean
  /** Sees every message of the SDK as it goes out. */
  readonly observe?: (message: JSONRPCMessage) => void
  /** How a message is written; default: as JSON.stringify does. */
  readonly textOf?: (message: JSONRPCMessage) => string
  readonly lineBytesMax?: number
  /** Shared with other connections. */
  readonly lineBudget?: LineBudget
  /** Shared with other connections of one event loop. */
  readonly turns?: LineTurns
  readonly outboundBytesMax?: number
  readonly eofGraceMs?: number
}

/** The only revision with batch arrays. */
const batchRevision = '2025-03-26'

/**
 * Newline-delimited JSON-RPC over any pair of streams, which it owns. Unlike the SDK's own: linear in the length of a line,
 * a line that is too long or unreadable costs an error and not the connection, one write per tick, and bounded memory.
 */
export class NdjsonTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T) => void
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>

  readonly #options: NdjsonOptions
  readonly #splitter: LineSplitter
  readonly #turns: LineTurns
  readonly #writer: LineWriter
  /** What came and was not handled yet, behind the chunk whose lines the splitter has; and the next line. */
  readonly #chunks: Buffer[] = []
  #line: Line | undefined
  #isWaiting = false
  readonly #batches = new Batches()
  /** Requests that are still to be answered; after EOF the connection lives on for them a little. */
  readonly #unanswered = new TransientMap<RequestId, true>()
  readonly #faults = { second: 0, count: 0 }
  #started = false
  /** Nothing more comes. */
  #isInputOver = false
  /** And all that came is handled. */
  #ended = false
  #revision: string | undefined
  #isFlushDue = false
  #eofTimer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #resolveClosed: () => void = () => {}

  constructor(options: NdjsonOptions) {
    this.#options = options
    this.#splitter = new LineSplitter(options.lineBytesMax ?? limits.lineBytesMax, options.lineBudget)
    this.#turns = options.turns ?? new LineTurns()
    this.#writer = new LineWriter(options.output)
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
  }

  async start(): Promise<void> {
    if (this.#started) throw new Error('the transport was already started')
    this.#started = true
    const { input, output } = this.#options
    input.on('error', this.#onError)
    // Of a socket, which is both, too: whichever comes first counts.
    output.on('error', this.#onError)
    output.on('drain', this.#onDrain)
    output.on('close', this.#onGone)
    input.on('end', this.#onEnd)
    input.on('close', this.#onInputClose)
    input.on('data', this.#onData)
    // Whoever read the first lines of a socket has left it paused.
    input.resume()
    if (input.readableEnded || input.destroyed) queueMicrotask(this.#onEnd)
  }

  /** The SDK calls it with what `initialize` settled on. */
  setProtocolVersion = (revision: string): void => {
    this.#revision = revision
  }

  /** An answer that cannot be written becomes an error, so that whoever asked has one. @throws for other such messages. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closing !== undefined) throw new Error('the connection is closed')
    this.#options.observe?.(message)
    const answered = 'method' in message ? undefined : (message.id ?? undefined)
    this.sendLine(answered === undefined ? this.#textOf(message) : this.#answerLine(message, answered), answered)
  }

  /** Writes one line as it is; `answers` is the id of the request that it settles. */
  sendLine(line: string, answers?: RequestId): void {
    if (this.#closing !== undefined) return
    if (answers === undefined) this.#write(line)
    else this.#answer(answers, line)
  }

  /** Notes a request that {@link NdjsonTransport.answer} is going to answer. */
  expect(id: RequestId): void {
    this.#unanswered.set(id, true)
  }

  /** Writes a line around a worker's bytes, see {@link LineWriter.lineAround}. */
  answer(id: RequestId, head: string, body: Buffer): void {
    if (this.#closing !== undefined) return
    this.#unanswered.delete(id)
    this.#writer.lineAround(head, body)
    this.#written()
    if (this.#ended && this.#unanswered.size === 0) void this.close()
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish(true)
    return this.#closing
  }

  #textOf(message: JSONRPCMessage): string {
    return this.#options.textOf?.(message) ?? JSON.stringify(message)
  }

  #answerLine(message: JSONRPCMessage, id: RequestId): string {
    try {
      return this.#textOf(message)
    } catch (error) {
      this.onerror?.(error as Error)
      return faultLine(fault(internalError, 'Internal error: the answer cannot be written as JSON', id))
    }
  }

  #onData = (chunk: Buffer | string): void => {
    this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    if (!this.#isWaiting) this.#work()
  }

  /** Handles lines for as long as it is this connection's turn. */
  #work = (): void => {
    for (let spent = 0; this.#closing === undefined; ) {
      this.#line ??= this.#nextLine()
      if (this.#line === undefined) return this.#workIsDone()
      if (!this.#turns.mayGoOn(spent)) return this.#waitForTurn()
      const cost = this.#handle(this.#line)
      this.#turns.spend(cost)
      spent += cost
    }
  }

  /** Returns what it has cost. */
  #handle(line: Line): number {
    this.#line = undefined
    const length = line.kind === 'line' ? line.bytes.length : 0
    const more = Math.floor(length / limits.lineBytesPerUnit)
    if (line.kind === 'line' && this.#options.interceptLine?.(line.bytes) === true) return 1 + more
    this.#receive(parseLine(line))
    return limits.lineCost + more
  }

  #nextLine(): Line | undefined {
    for (;;) {
      const line = this.#splitter.next()
      if (line !== undefined) return line
      const chunk = this.#chunks.shift()
      if (chunk === undefined) return undefined
      this.#splitter.push(chunk)
    }
  }

  #waitForTurn(): void {
    this.#isWaiting = true
    this.#options.input.pause()
    this.#turns.wait(() => {
      this.#isWaiting = false
      this.#work()
    })
  }

  #workIsDone(): void {
    const { input, output } = this.#options
    if (this.#isInputOver) this.#end()
    else if (input.isPaused() && output.writableLength <= limits.outboundPauseBytes) input.resume()
  }

  #receive(parsed: Parsed): void {
    if (parsed.kind === 'message') this.#deliver(parsed.message)
    else if (parsed.kind === 'fault') this.#refuse(parsed)
    else this.#receiveBatch(parsed.entries)
  }

  #deliver(message: JSONRPCMessage): void {
    if ('method' in message) {
      // A subscription stays open for as long as the connection: nobody waits for its answer.
      if ('id' in message && message.method !== 'subscriptions/listen') this.#unanswered.set(message.id, true)
    }
    if (isCancellation(message)) this.#forget(message.params?.['requestId'])
    if (this.#options.intercept?.(message) !== true) this.onmessage?.(message)
  }

  /** A cancelled request gets no answer, so nothing may wait for one. */
  #forget(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#unanswered.delete(id)
    const line = this.#batches.settle(id)
    if (line !== undefined) this.#write(line)
  }

  #receiveBatch(entries: readonly unknown[]): void {
    const opened =
      this.#revision === batchRevision
        ? this.#batches.open(entries)
        : fault(invalidRequest, `Invalid request: batches exist in protocol revision ${batchRevision} only`)
    if ('kind' in opened) {
      this.#refuse(opened)
      return
    }
    if (opened.line !== undefined) this.#write(opened.line)
    for (const message of opened.messages) this.#deliver(message)
  }

  #refuse(refusal: LineFault): void {
    this.onerror?.(new Error(refusal.message))
    // Whoever waits for an answer gets one; noise that names no request is not worth one each time.
    if (refusal.id !== null || this.#mayReply()) this.#write(faultLine(refusal))
  }

  #mayReply(): boolean {
    const second = Math.floor(Date.now() / 1000)
    if (this.#faults.second !== second) Object.assign(this.#faults, { second, count: 0 })
    this.#faults.count += 1
    return this.#faults.count <= limits.faultRepliesPerSecondMax
  }

  #answer(id: RequestId, line: string): void {
    this.#unanswered.delete(id)
    if (this.#batches.has(id)) {
      const whole = this.#batches.settle(id, line)
      if (whole !== undefined) this.#write(whole)
    } else this.#write(line)
    if (this.#ended && this.#unanswered.size === 0) void this.close()
  }

  #write(line: string): void {
    this.#writer.line(line)
    this.#written()
  }

  #written(): void {
    if (this.#writer.waiting > (this.#options.outboundBytesMax ?? limits.outboundBytesMax)) {
      return this.#fail(new Error('the client does not read its answers'))
    }
    if (this.#isFlushDue) return
    this.#isFlushDue = true
    process.nextTick(this.#flush)
  }

  /** Lines of one tick leave in one write: a next-tick callback runs after the promises that the tick's messages resolved. */
  #flush = (): void => {
    this.#isFlushDue = false
    this.#writer.flush()
    const { input, output } = this.#options
    if (output.writableLength > limits.outboundPauseBytes) input.pause()
  }

  #onDrain = (): void => {
    if (this.#closing === undefined && !this.#isWaiting && this.#options.input.isPaused()) this.#options.input.resume()
  }

  /** A paused stream says so, too, when its last chunk is still to be worked through. */
  #onEnd = (): void => {
    this.#isInputOver = true
    if (!this.#isWaiting) this.#end()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    const rest = this.#splitter.end()
    if (rest !== undefined) this.#receive(parseLine(rest))
    if (this.#unanswered.size === 0) void this.close()
    else this.#eofTimer = setTimeout(() => void this.close(), this.#options.eofGraceMs ?? limits.eofGraceMs)
  }

  #onInputClose = (): void => {
    if (!this.#isInputOver) this.#onGone()
  }

  #onGone = (): void => {
    this.#closing ??= this.#finish(false)
  }

  #onError = (error: Error): void => {
    if (this.#closing === undefined) this.#fail(error)
  }

  #fail(error: Error): void {
    this.onerror?.(error)
    this.#onGone()
  }

  async #finish(flush: boolean): Promise<void> {
    const { input, output, endOutput = true } = this.#options
    clearTimeout(this.#eofTimer)
    input.off('data', this.#onData)
    this.#splitter.close()
    this.#chunks.length = 0
    this.#line = undefined
    if (flush) this.#writer.flush()
    this.#writer.clear()
    // The error listeners stay: a late write failure of a closed connection is nobody's business.
    queueMicrotask(() => {
      this.onclose?.()
      this.#resolveClosed()
    })
    if (flush && output.writable) await flushed(output, endOutput)
    if (endOutput) output.destroy()
    input.destroy()
  }
}

/** Resolves when all was handed over, when that failed, or when it took too long. */
function flushed(output: Writable, end: boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limits.closeFlushMs)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    output.once('close', done)
    if (end) output.end(done)
    else output.write('', done)
  })
}
