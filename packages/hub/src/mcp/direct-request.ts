import { isAscii, isUtf8 } from 'node:buffer'
import { bodyBytesMax, type Client } from '@callboard/protocol'
import { ProtocolError } from '@modelcontextprotocol/server'
import { isDeeper } from '../broker/definition.js'
import type { CallWish } from '../broker/events.js'
import { type AgentRequest, describeRequest } from './agent-request.js'
import { isRecord, isRequestId } from './json-rpc.js'
import { depthMax } from './limits.js'
import { ownBytes } from './own-bytes.js'
import { withoutClientForgery } from './reserved-meta.js'

/** A `tools/call` that needs nothing but its way to a worker and back. */
export interface DirectRequest extends AgentRequest {
  readonly method: 'tools/call'
  /** What it says of itself. */
  readonly meta: { readonly [key: string]: unknown }
}

/** Members of the params; others are matters of tasks, of input that was asked for, or unknown. */
const plainMembers: readonly string[] = ['name', 'arguments', '_meta']

/**
 * Reads the JSON text of the params. The body is these very bytes. Undefined: not JSON, not a plain call, or one that is to be refused, which
 * all is for the usual way to answer.
 */
export function readDirectRequest(params: Buffer): DirectRequest | undefined {
  if (params.length > bodyBytesMax) return undefined
  const text = textOf(params)
  const value = text === undefined ? undefined : parsed(text)
  if (value === undefined || !Object.keys(value).every((key) => plainMembers.includes(key))) return undefined
  if (isDeeper(value, depthMax - 1)) return undefined
  try {
    const meta = metaOf(value)
    if (meta === undefined) return undefined
    const asked = describeRequest('tools/call', value)
    const body = mayNameOurs(text!) ? Buffer.from(JSON.stringify(withoutClientForgery(value))) : ownBytes(params)
    const { name, progressToken, idempotencyKey, traceparent, tracestate } = asked
    return { method: 'tools/call', name, body, progressToken, idempotencyKey, traceparent, tracestate, meta }
  } catch (error) {
    if (error instanceof ProtocolError) return undefined
    throw error
  }
}

/** What the broker is asked for. */
export function wishOf(
  { method, name, body, idempotencyKey, traceparent, tracestate }: DirectRequest,
  client: Client,
): CallWish {
  return { method, name, body, client, timeoutMs: undefined, idempotencyKey, traceparent, tracestate }
}

/** Undefined: the SDK has a word to say about it. */
function metaOf({ _meta: meta = {} }: Record<string, unknown>): Record<string, unknown> | undefined {
  if (!isRecord(meta)) return undefined
  const token = meta['progressToken']
  return token === undefined || isRequestId(token) ? meta : undefined
}

/** Undefined: not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A member may come twice, of which we see the last: so whatever could spell one of our keys is written anew, with what we have seen. */
function mayNameOurs(text: string): boolean {
  return text.includes('callboard/') || text.includes('\\u') || text.includes('\\/')
}
