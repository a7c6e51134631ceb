import { type JSONRPCMessage, type RequestId, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server'
import type { Connection } from '../port.js'
import { isCancellation, isRecord } from './json-rpc.js'

/**
 * Learns which resources a modern client watches. The SDK answers `subscriptions/listen` by itself, so we read the
 * acknowledgement that it sends, which names what it granted, and the cancellation that ends it.
 */
export class ListenWatch {
  readonly #connection: Pick<Connection, 'subscribe' | 'unsubscribe'>
  readonly #uris = new Map<RequestId, readonly string[]>()

  constructor(connection: Pick<Connection, 'subscribe' | 'unsubscribe'>) {
    this.#connection = connection
  }

  readonly sent = (message: JSONRPCMessage): void => {
    if (!('method' in message) || message.method !== 'notifications/subscriptions/acknowledged') return
    const id = message.params?._meta?.[SUBSCRIPTION_ID_META_KEY]
    const filter = message.params?.['notifications']
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.watch(id, isRecord(filter) ? filter['resourceSubscriptions'] : undefined)
  }

  readonly received = (message: JSONRPCMessage): void => {
    if (isCancellation(message)) this.end(message.params?.['requestId'])
  }

  watch(id: RequestId, asked: unknown): void {
    const strings = Array.isArray(asked) ? asked.filter((uri) => typeof uri === 'string') : []
    const uris = [...new Set(strings)]
    for (const uri of uris) if (!this.#isWatched(uri)) this.#connection.subscribe(uri)
    this.#uris.set(id, uris)
  }

  end(id: unknown): void {
    const uris = this.#uris.get(id as RequestId) ?? []
    this.#uris.delete(id as RequestId)
    for (const uri of uris) if (!this.#isWatched(uri)) this.#connection.unsubscribe(uri)
  }

  #isWatched(uri: string): boolean {
    return [...this.#uris.values()].some((uris) => uris.includes(uri))
  }
}
