import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { gzipBytesMin } from '../limits.js'
import type { Answer } from './answer.js'

/** Compressed where that pays and is understood. With `half`, the connection ends in the middle of the body. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer, half = false): void {
  if (response.destroyed) return
  const plain = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const gzips = plain.length >= gzipBytesMin && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const body = gzips ? gzipSync(plain, { level: 1 }) : plain
  response.writeHead(answer.status, {
    'content-type': answer.type,
    'content-length': body.length,
    ...(gzips && { 'content-encoding': 'gzip' }),
    ...answer.headers,
  })
  if (request.method === 'HEAD') response.end()
  else if (half) response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy())
  else response.end(body)
}
