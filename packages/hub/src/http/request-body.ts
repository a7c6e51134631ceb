import type { IncomingMessage } from 'node:http'
import { isDeeper } from '../broker/definition.js'
import { depthMax } from '../mcp/limits.js'

export type RequestBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'too_deep' }
  | { readonly kind: 'invalid' }

/** Total, but for a client that leaves in the middle. Reads no further than the bound. */
export async function readJsonBody(request: IncomingMessage, bytesMax: number): Promise<RequestBody> {
  if (Number(request.headers['content-length']) > bytesMax) return { kind: 'too_large' }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bytesMax) return { kind: 'too_large' }
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
    return isDeeper(value, depthMax) ? { kind: 'too_deep' } : { kind: 'json', value }
  } catch {
    return { kind: 'invalid' }
  }
}
