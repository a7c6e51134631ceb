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
  async read(request: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<Read<Buffer>> {
    const { 'content-type': type, 'content-encoding': encoding, 'content-length': length, expect } = request.headers
    if (type !== 'application/json' && !isJsonContentType(type ?? null)) return refused(wrongMediaType)
    if (encoding !== undefined && !/^identity$/i.test(encoding)) return refused(encodedBody)
    if (Number(length) > bytesMax) return refused(bodyTooLarge(bytesMax))
    if (expect !== undefined) response.writeContinue()
    return this.#collect(request, bytesMax)
  }

  #collect(request: IncomingMessage, bytesMax: number): Promise<Read<Buffer>> {
    return new Promise((resolve, reject) => {
      let chunks: Buffer[] = []
      let length = 0
      let isOver = false
      const end = () => {
        isOver = true
        this.#budget.give(length)
        length = 0
        chunks = []
      }
      const refuse = (error: HttpError) => {
        end()
        // What still comes is thrown away: a client that is cut while it sends never reads why.
        request.removeAllListeners('data')
        request.resume()
        resolve(refused(error))
      }
      request.on('data', (chunk: Buffer) => {
        if (length + chunk.length > bytesMax) return refuse(bodyTooLarge(bytesMax))
        if (!this.#budget.take(chunk.length)) return refuse(noRoom)
        length += chunk.length
        chunks.push(chunk)
      })
      request.on('end', () => {
        if (isOver) return
        resolve({ kind: 'read', value: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) })
        end()
      })
      request.on('close', () => {
        if (isOver) return
        end()
        reject(new Error('the client left before it had sent its request'))
      })
      // Its end says as much.
      request.on('error', ignore)
    })
  }
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
