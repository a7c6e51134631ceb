import type { IncomingMessage, ServerResponse } from 'node:http'
import { handOver } from '../mcp/handed-over.js'
import { internalError, isRecord } from '../mcp/json-rpc.js'
import { type AnswerForm, eventStream } from './accept.js'
import { endAnswer, type HttpError, sendJson, sendRpcError } from './answers.js'
import type { BegunCall } from './begun-call.js'
import { unanswered } from './call-end.js'
import { collapsedBytesMax, directPatienceMs, streamKeepAliveMs, streamUnreadBytesMax } from './limits.js'

/** One HTTP request, as far as it is read. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: unknown
  readonly form: AnswerForm
  /** Of a batch: answers to what in it is no message. */
  readonly faults?: readonly object[]
  /** Its call, where that is under way. */
  readonly begun?: BegunCall
}

export interface StreamOptions {
  /** Between two signs of life on a stream; the SDK's own are switched off. */
  readonly keepAliveMs?: number
  /** Sent and not taken, after which a reader is cut off. */
  readonly unreadBytesMax?: number
}

/** Between the SDK, which speaks the web's requests and responses, and Node, whose connection we look after. */
export class ExchangeWriter {
  /** How long whoever reads streams may be left without one. */
  readonly patienceMs: number
  readonly #keepAliveMs: number
  readonly #unreadBytesMax: number

  constructor({ keepAliveMs = streamKeepAliveMs, unreadBytesMax = streamUnreadBytesMax }: StreamOptions = {}) {
    this.#keepAliveMs = keepAliveMs
    this.patienceMs = Math.min(directPatienceMs, keepAliveMs)
    this.#unreadBytesMax = unreadBytesMax
  }

  /**
   * Answers by what `serve` makes of the request. Its signal aborts when the client leaves.
   * @param mayWait whether a client that reads streams shall hear signs of life before there is an answer
   */
  async answer(exchange: Exchange, mayWait: boolean, serve: (request: Request) => Promise<Response>): Promise<void> {
    const { request, response, form, begun, faults = [] } = exchange
    const abort = new AbortController()
    whenClosed(response, () => {
      if (!response.writableFinished) abort.abort()
    })
    const patience = mayWait && form === 'stream' ? this.#keepAlive(response) : undefined
    try {
      const asked = toWebRequest(request, abort.signal)
      if (begun !== undefined) handOver(asked, begun)
      const served = await serve(asked)
      if (response.destroyed) return void served.body?.cancel().catch(() => {})
      if (response.headersSent) return await this.#continue(served, response)
      if (form === 'json' && isEventStream(served)) return await collapse(served, exchange)
      if (served.status === 202 && faults.length > 0) return sendJson(response, 200, faults)
      await this.#pass(served, response)
    } finally {
      clearInterval(patience)
    }
  }

  /** The answer comes after all, and finds that a stream was begun meanwhile. */
  async #continue(served: Response, response: ServerResponse): Promise<void> {
    if (isEventStream(served)) return this.#pump(served.body!, response)
    endAnswer(response, `event: message\ndata: ${await served.text()}\n\n`)
  }

  async #pass(served: Response, response: ServerResponse): Promise<void> {
    response.writeHead(served.status, headersOf(served))
    if (!isEventStream(served)) return endAnswer(response, await served.text())
    const beat = this.#keepAlive(response)
    try {
      await this.#pump(served.body!, response)
    } finally {
      clearInterval(beat)
    }
  }

  /** As fast as it comes: what waits, waits in the connection, where it can be measured. */
  async #pump(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
    const reader = body.getReader()
    whenClosed(response, () => void reader.cancel().catch(() => {}))
    gather(response)
    response.flushHeaders()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || response.destroyed) break
      gather(response)
      response.write(value)
      if (this.#isUnread(response)) return void response.destroy()
    }
    if (!response.destroyed) endAnswer(response)
  }

  #isUnread(response: ServerResponse): boolean {
    if (response.writableLength <= this.#unreadBytesMax) return false
    // What only waits for the end of this turn is not yet the reader's to take.
    release(response)
    return response.writableLength > this.#unreadBytesMax
  }

  /** Comments, which readers skip: proxies and clients take silence for death. */
  #keepAlive(response: ServerResponse): NodeJS.Timeout {
    const beat = setInterval(() => {
      if (response.writableEnded || response.destroyed) return
      if (!response.headersSent) response.writeHead(200, streamHeaders)
      response.write(': keepalive\n\n')
    }, this.#keepAliveMs)
    return beat.unref()
  }
}

const streamHeaders = {
  'content-type': eventStream,
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** What is written in one turn goes out at once: a call that is answered fast costs one packet and not four. */
function gather(response: ServerResponse): void {
  if (response.writableCorked > 0) return
  response.cork()
  setImmediate(() => release(response))
}

function release(response: ServerResponse): void {
  if (response.writableCorked > 0) response.uncork()
}

/** The client may have left while we found out who it is; then the event has been. */
export function whenClosed(response: ServerResponse, end: () => void): void {
  if (response.closed) end()
  else response.on('close', end)
}

/** The body stays here: it is parsed once, and handed over beside the request. */
function toWebRequest({ method = 'GET', url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const copied = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) copied.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return new Request(new URL(url, 'http://localhost'), { method, headers: copied, signal })
}

export function isEventStream(response: Response): boolean {
  return response.body !== null && response.headers.get('content-type')?.includes(eventStream) === true
}

/** Whether the connection lives on is not the SDK's to say. */
function headersOf(served: Response): Record<string, string> {
  const { connection: _, ...headers } = Object.fromEntries(served.headers)
  return headers
}

/** The answer in a stream, by itself: notifications before it are for those who read streams. */
async function collapse(served: Response, { response, faults }: Exchange): Promise<void> {
  const stream = await textWithin(served, collapsedBytesMax)
  if (response.destroyed) return
  if (stream === undefined) return sendRpcError(response, answersTooLarge)
  const answers = messagesOf(stream).filter((message) => 'result' in message || 'error' in message)
  const { 'cache-control': _, 'x-accel-buffering': __, ...headers } = headersOf(served)
  if (answers.length === 0) {
    return sendRpcError(response, unanswered)
  }
  sendJson(response, served.status, faults === undefined ? answers[0] : [...answers, ...faults], headers)
}

const answersTooLarge: HttpError = {
  status: 500,
  code: 'RESULT_TOO_LARGE',
  rpcCode: internalError,
  message: `The answers have more than ${collapsedBytesMax} bytes together: ask for less at once`,
}

/** Undefined for a longer one, which nobody reads to its end. */
async function textWithin({ body }: Response, bytesMax: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function messagesOf(stream: string): Record<string, unknown>[] {
  const data = stream.split('\n').filter((line) => line.startsWith('data: {'))
  return data.map((line) => JSON.parse(line.slice('data: '.length)) as unknown).filter(isRecord)
}
