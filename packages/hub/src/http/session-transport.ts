import { TransientMap } from '@callboard/protocol'
import {
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { isCancellation } from '../mcp/json-rpc.js'
import { eventStream } from './accept.js'
import { type CallEnd, cancelledError } from './call-end.js'
import { requestIdsOf } from './incoming.js'
import type { Introduction } from './session-seal.js'

/** Of a request that is answered without the SDK. */
export interface DirectEnd {
  /** Its client cancels it, or the session ends. */
  end(how: CallEnd): void
}

/** The SDK's, which loses its way between requests of one id, and leaves the stream of a cancelled one open for ever. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #open = new Set<RequestId>()
  /** Requests that are answered without us, and what ends them. */
  readonly #direct = new TransientMap<RequestId, DirectEnd>()

  /** An id among those of new requests that is in use; undefined: they are all taken now. */
  claim(messages: readonly JSONRPCMessage[]): RequestId | undefined {
    const ids = requestIdsOf(messages)
    const used = ids.find((id) => this.isUsed(id))
    if (used !== undefined) return used
    for (const id of ids) this.#open.add(id)
    return undefined
  }

  /** False: the id is in use. */
  claimDirect(id: RequestId, request: DirectEnd): boolean {
    if (this.isUsed(id)) return false
    this.#direct.set(id, request)
    return true
  }

  releaseDirect(id: RequestId, request: DirectEnd): void {
    if (this.#direct.get(id) === request) this.#direct.delete(id)
  }

  /** For requests that never got anywhere. */
  release(messages: readonly JSONRPCMessage[]): void {
    for (const id of requestIdsOf(messages)) this.#open.delete(id)
  }

  /** Its HTTP request waits for an end that the protocol does not give it: so an error it is. */
  async endCancelled(messages: readonly JSONRPCMessage[]): Promise<void> {
    for (const message of messages.filter(isCancellation)) {
      const id = message.params?.['requestId'] as RequestId
      this.#direct.get(id)?.end('cancelled')
      if (this.#open.has(id)) await this.send({ jsonrpc: '2.0', id, error: cancelledError })
    }
  }

  override async close(): Promise<void> {
    for (const request of this.#direct.values()) request.end('session_ended')
    await super.close()
  }

  isUsed(id: RequestId): boolean {
    return this.#open.has(id) || this.#direct.has(id)
  }

  /** The requests of a stream that are not yet answered; the SDK alone knows which stream is whose. */
  requestsOn(stream: string): RequestId[] {
    const streams: ReadonlyMap<RequestId, string> = this['_requestToStreamMapping']
    return [...this.#open].filter((id) => streams.get(id) === stream)
  }

  /** As if the client had said it again. What it would be told, it knows; `sessionId` says whether it came to that. */
  async reintroduce(introduction: Introduction): Promise<void> {
    const initialize = { jsonrpc: '2.0', id: 'callboard-reintroduction', method: 'initialize', params: introduction }
    const answered = await this.handleRequest(ownRequest(), { parsedBody: initialize })
    await answered.text()
    if (this.sessionId === undefined) return
    const parsedBody = { jsonrpc: '2.0', method: 'notifications/initialized' }
    await this.handleRequest(ownRequest({ 'mcp-session-id': this.sessionId }), { parsedBody })
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if ('result' in message || 'error' in message) this.#open.delete(message.id as RequestId)
    return super.send(message, options)
  }
}

function ownRequest(headers: Record<string, string> = {}): Request {
  const accepted = { accept: `application/json, ${eventStream}`, 'content-type': 'application/json' }
  return new Request('http://localhost/mcp', { method: 'POST', headers: { ...accepted, ...headers } })
}
