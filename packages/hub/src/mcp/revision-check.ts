import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server'
import { isRecord } from './json-rpc.js'

/** Those whose requests each name their revision: what the SDK serves, which tells it only in its errors. */
const modernRevisions = ['2026-07-28']

/**
 * The answer to a request of a modern client that names a revision which nobody speaks. On a lasting connection the SDK looks
 * at the revision of the first request only. One that names none, or not by a string, it refuses itself.
 */
export function revisionRefusal(message: JSONRPCMessage): JSONRPCErrorResponse | undefined {
  if (!('method' in message && 'id' in message)) return undefined
  const meta = message.params?.['_meta']
  const requested = isRecord(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined
  if (typeof requested !== 'string' || modernRevisions.includes(requested)) return undefined
  const { code, message: text, data } = new UnsupportedProtocolVersionError({ supported: modernRevisions, requested })
  return { jsonrpc: '2.0', id: message.id, error: { code, message: text, data } }
}
