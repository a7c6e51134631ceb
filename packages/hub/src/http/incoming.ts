import { DEFAULT_NEGOTIATED_PROTOCOL_VERSION, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/server'
import { isDeeper } from '../broker/definition.js'
import { invalidRequest, isRecord, type LineFault, parseMessage } from '../mcp/json-rpc.js'
import { batchMessagesMax, depthMax } from '../mcp/limits.js'
import type { HttpError } from './answers.js'
import { batchListsMax } from './limits.js'

/** What came in one body. */
export type Incoming =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'batch'; readonly messages: readonly JSONRPCMessage[]; readonly faults: readonly object[] }
  | { readonly kind: 'refused'; readonly error: HttpError }

/** The one revision that knows batches, which is also that of a client that names none. */
const batchVersion = DEFAULT_NEGOTIATED_PROTOCOL_VERSION

/**
 * Total: lets pass only what is JSON-RPC, so that whoever sent something else learns what is wrong with it.
 * @param version the MCP-Protocol-Version header
 */
export function parseIncoming(body: unknown, version: string | undefined): Incoming {
  if (Array.isArray(body)) return parseBatch(body, version ?? batchVersion)
  const parsed = parseMessage(body)
  return parsed.kind === 'fault' ? { kind: 'refused', error: errorOf(parsed) } : parsed
}

/** The ids that the answers will bear. */
export function requestIdsOf(messages: readonly JSONRPCMessage[]): RequestId[] {
  return messages.flatMap((message) => ('method' in message && 'id' in message ? [message.id] : []))
}

function parseBatch(entries: readonly unknown[], version: string): Incoming {
  if (isDeeper(entries, depthMax)) return refused(`nested deeper than ${depthMax} levels`)
  if (version !== batchVersion) return refused(`batches exist in MCP ${batchVersion} only`)
  if (entries.length === 0 || entries.length > batchMessagesMax) {
    return refused(`a batch holds 1 to ${batchMessagesMax} messages`)
  }
  if (entries.some((entry) => isRecord(entry) && entry['method'] === 'initialize')) {
    return refused('"initialize" can be no part of a batch')
  }
  if (entries.filter(asksForList).length > batchListsMax) {
    return refused(`a batch asks for at most ${batchListsMax} lists`)
  }
  const messages: JSONRPCMessage[] = []
  const faults: object[] = []
  const ids = new Set<RequestId>()
  for (const entry of entries) {
    const parsed = withNewId(parseMessage(entry), ids)
    if (parsed.kind === 'message') messages.push(parsed.message)
    else faults.push({ jsonrpc: '2.0', id: parsed.id, error: { code: parsed.code, message: parsed.message } })
  }
  return { kind: 'batch', messages, faults }
}

function asksForList(entry: unknown): boolean {
  const method = isRecord(entry) ? entry['method'] : undefined
  return typeof method === 'string' && method.endsWith('/list')
}

function withNewId(parsed: ReturnType<typeof parseMessage>, ids: Set<RequestId>): ReturnType<typeof parseMessage> {
  if (parsed.kind === 'fault') return parsed
  const [id] = requestIdsOf([parsed.message])
  if (id === undefined) return parsed
  if (ids.has(id)) return { kind: 'fault', code: invalidRequest, message: 'Invalid request: the id is in use', id }
  ids.add(id)
  return parsed
}

function refused(why: string): Incoming {
  return { kind: 'refused', error: errorOf({ code: invalidRequest, message: `Invalid request: ${why}`, id: null }) }
}

export function errorOf({ code, message, id }: Pick<LineFault, 'code' | 'message' | 'id'>): HttpError {
  return { status: 400, code: 'INVALID_REQUEST', rpcCode: code, message, id }
}
