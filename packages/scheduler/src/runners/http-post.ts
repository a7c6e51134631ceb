import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

export interface HttpPost {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Of the answer's body. */
  readonly answerBytesMax: number
  readonly signal: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/**
 * One POST, answered whole. Node's own `fetch` gives up on an answer that takes five minutes to begin, which a local model may
 * well do; here only the signal ends the wait. Follows no redirect: it would take the key elsewhere. Rejects with what went
 * wrong on the way, an AnswerTooLarge, or the signal's AbortError.
 */
export function httpPost({ url, headers, body, answerBytesMax, signal }: HttpPost): Promise<HttpAnswer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
      // A connection of its own: one that was kept may be closed just when it is used again.
      agent: false,
    })
    outgoing.on('error', reject)
    outgoing.on('response', (answer) => {
      readBody(answer, answerBytesMax).then((text) => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text })
      }, reject)
    })
    outgoing.end(body)
  })
}

async function readBody(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Leaving the loop destroys the connection.
    if (bytes > bytesMax) throw new AnswerTooLarge(`The answer has more than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
