import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isJsonContentType } from '@modelcontextprotocol/server'
import { LineBudget } from '../mcp/line-budget.js'
import { bodyTooLarge, encodedBody, type HttpError, wrongMediaType } from './answers.js'
import * as limits from './limits.js'

export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: HttpError }

/** Reads bodies: each within its bound, all together within theirs. */
export class BodyReader {
  readonly #budget: LineBudget

  constructor(bytesMax = limits.unfinishedBodiesBytesMax) {
    this.#budget = new LineBudget(bytesMax)
  }

  /** Rejects only for a client that leaves in the middle. Past the bound nothing is kept. */
  read(request: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<Read<Buffer>> {
    const refusal = refusalOf(request, bytesMax)
    if (refusal !== undefined) return Promise.resolve(refused(refusal))
    // HTTP/1.0 has no answer before the answer.
    if (request.headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue()
    return this.#collect(request, bytesMax)
  }

  #collect(request: IncomingMessage, bytesMax: number): Promise<Read<Buffer>> {
    return new Promise((resolve, reject) => {
      const body = new OpenBody(this.#budget, bytesMax)
      request.on('data', (chunk: Buffer) => {
        const refusal = body.take(chunk)
        if (refusal === undefined) return
        // What still comes is thrown away: a client that is cut while it sends never reads why.
        request.removeAllListeners('data')
        request.resume()
        resolve(refused(refusal))
      })
      request.on('end', () => {
        if (!body.isOver) resolve({ kind: 'read', value: body.finish() })
      })
      request.on('close', () => {
        if (body.isOver) return
        body.end()
        reject(new Error('the client left before it had sent its request'))
      })
      // Its end says as much.
      request.on('error', ignore)
    })
  }
}

/** A body that is being sent. Nearly all come in one piece. */
class OpenBody {
  isOver = false
  readonly #budget: LineBudget
  readonly #bytesMax: number
  #first: Buffer | undefined
  #more: Buffer[] | undefined
  #length = 0

  constructor(budget: LineBudget, bytesMax: number) {
    this.#budget = budget
    this.#bytesMax = bytesMax
    this.#first = undefined
    this.#more = undefined
  }

  /** Returns why not. */
  take(chunk: Buffer): HttpError | undefined {
    const refusal = this.#length + chunk.length > this.#bytesMax ? bodyTooLarge(this.#bytesMax) : this.#keep(chunk)
    if (refusal !== undefined) this.end()
    return refusal
  }

  finish(): Buffer {
    const first = this.#first ?? nothing
    const whole = this.#more === undefined ? first : Buffer.concat([first, ...this.#more])
    this.end()
    return whole
  }

  end(): void {
    this.isOver = true
    this.#budget.give(this.#length)
    this.#length = 0
    this.#first = undefined
    this.#more = undefined
  }

  #keep(chunk: Buffer): HttpError | undefined {
    if (!this.#budget.take(chunk.length)) return noRoom
    this.#length += chunk.length
    if (this.#first === undefined) this.#first = chunk
    else if (this.#more === undefined) this.#more = [chunk]
    else this.#more.push(chunk)
    return undefined
  }
}

function refusalOf({ headers }: IncomingMessage, bytesMax: number): HttpError | undefined {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers
  if (type !== 'application/json' && !isJsonContentType(type ?? null)) return wrongMediaType
  if (encoding !== undefined && !/^identity$/i.test(encoding)) return encodedBody
  return Number(length) > bytesMax ? bodyTooLarge(bytesMax) : undefined
}

/** Total. */
export function parseJsonBody(bytes: Buffer): Read<unknown> {
  try {
    return { kind: 'read', value: JSON.parse(textOf(bytes)) }
  } catch (error) {
    const message = `Invalid JSON: ${(error as Error).message}`
    return refused({ status: 400, code: 'INVALID_JSON', rpcCode: -32700, message })
  }
}

/** Without the mark that some editors put before UTF-8. @throws TypeError */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new TypeError('the body is not UTF-8')
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

const nothing = Buffer.alloc(0)

function ignore(): void {}

const noRoom: HttpError = {
  status: 503,
  code: 'OVERLOADED',
  message: 'Too many large requests are being sent at once',
  headers: { 'retry-after': '1' },
}

function refused(error: HttpError): Read<never> {
  return { kind: 'refused', error }
}
