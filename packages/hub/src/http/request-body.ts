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
    if (!isJsonContentType(type ?? null)) return refused(wrongMediaType)
    if (encoding !== undefined && !/^identity$/i.test(encoding)) return refused(encodedBody)
    if (Number(length) > bytesMax) return refused(bodyTooLarge(bytesMax))
    if (expect !== undefined) response.writeContinue()
    return this.#collect(request, bytesMax)
  }

  #collect(request: IncomingMessage, bytesMax: number): Promise<Read<Buffer>> {
    return new Promise((resolve, reject) => {
      let chunks: Buffer[] = []
      let length = 0
      const end = () => {
        request.removeAllListeners('data')
        this.#budget.give(length)
        length = 0
        chunks = []
      }
      const refuse = (error: HttpError) => {
        end()
        // What still comes is thrown away: a client that is cut while it sends never reads why.
        request.resume()
        resolve(refused(error))
      }
      request.on('data', (chunk: Buffer) => {
        if (length + chunk.length > bytesMax) return refuse(bodyTooLarge(bytesMax))
        if (!this.#budget.take(chunk.length)) return refuse(noRoom)
        length += chunk.length
        chunks.push(chunk)
      })
      request.once('end', () => {
        resolve({ kind: 'read', value: Buffer.concat(chunks) })
        end()
      })
      request.once('close', () => {
        end()
        reject(new Error('the client left before it had sent its request'))
      })
      // Its end says as much.
      request.once('error', () => {})
    })
  }
}

/** Total. */
export function parseJsonBody(bytes: Buffer): Read<unknown> {
  try {
    return { kind: 'read', value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    const message = `Invalid JSON: ${(error as Error).message}`
    return refused({ status: 400, code: 'INVALID_JSON', rpcCode: -32700, message })
  }
}

const noRoom: HttpError = {
  status: 503,
  code: 'OVERLOADED',
  message: 'Too many large requests are being sent at once',
  headers: { 'retry-after': '1' },
}

function refused(error: HttpError): Read<never> {
  return { kind: 'refused', error }
}
