import { isUtf8 } from 'node:buffer'
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type RequestId,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import { isDeeper } from '../broker/definition.js'
import { depthMax } from './limits.js'
import type { Line } from './line-splitter.js'
import { schemaProblem } from './schema-problem.js'
import { urisToWatch, watchProblem } from './watched-uris.js'

export const parseError = -32700
export const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603

export interface LineFault {
  readonly kind: 'fault'
  readonly code: number
  readonly message: string
  /** The request's, where it could be read. */
  readonly id: RequestId | null
}

export type Parsed =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'batch'; readonly entries: readonly unknown[] }
  | LineFault

/** Total: any line is a message, a batch or a fault. */
export function parseLine(line: Line): Parsed {
  if (line.kind === 'too_long') return fault(invalidRequest, 'The message is too long', idOfExcerpt(line))
  if (!isUtf8(line.bytes)) return fault(parseError, 'Parse error: the line is not UTF-8')
  let value: unknown
  try {
    value = JSON.parse(line.bytes.toString('utf8'))
  } catch {
    return fault(parseError, 'Parse error: the line is not JSON')
  }
  return Array.isArray(value) ? { kind: 'batch', entries: value } : parseMessage(value)
}

/**
 * Lets pass only what the SDK takes, because it drops anything else without a word and its sender would wait for an answer.
 * Members that JSON-RPC does not know are left out; what method and params mean is the SDK's business.
 */
export function parseMessage(value: unknown): Exclude<Parsed, { kind: 'batch' }> {
  if (!isRecord(value)) return fault(invalidRequest, 'Invalid request: not an object')
  const id = isRequestId(value['id']) ? value['id'] : null
  const refused = (why: string) => fault(invalidRequest, `Invalid request: ${why}`, id)
  if (value['jsonrpc'] !== '2.0') return refused('"jsonrpc" must be "2.0"')
  if (isDeeper(value, depthMax)) return refused(`nested deeper than ${depthMax} levels`)
  if ('id' in value && id === null && ('method' in value || !('error' in value))) {
    return refused('"id" must be a string or a safe integer')
  }
  if (!('method' in value)) return parseAnswer(value)
  if ('result' in value || 'error' in value) return refused('both a method and an answer')
  const { jsonrpc, method, params } = value
  const asked = { jsonrpc, ...('id' in value && { id }), method, ...(params !== undefined && { params }) }
  const schema = 'id' in value ? specTypeSchemas.JSONRPCRequest : specTypeSchemas.JSONRPCNotification
  const problem = schemaProblem(schema, asked, 'message')
  if (problem !== undefined) return refused(problem)
  // The SDK would keep all that it is asked to watch.
  const unwatchable = method === 'subscriptions/listen' ? watchProblem(urisToWatch(params)) : undefined
  if (unwatchable !== undefined) return fault(invalidParams, `Invalid params: ${unwatchable}`, id)
  return { kind: 'message', message: asked as JSONRPCMessage }
}

/** The id of an answer is one of ours: a fault of it must not be taken for the answer to a request of the sender's. */
function parseAnswer({ id, jsonrpc, result, error }: Record<string, unknown>): Exclude<Parsed, { kind: 'batch' }> {
  if (isRecord(result) && isRecord(error)) return fault(invalidRequest, 'Invalid request: both a result and an error')
  const answered = { jsonrpc, ...(id !== undefined && { id }) }
  if (isRecord(result)) return { kind: 'message', message: { ...answered, result } as JSONRPCMessage }
  if (isRecord(error)) return { kind: 'message', message: { ...answered, error } as unknown as JSONRPCMessage }
  const why = 'Invalid request: neither a method nor a result nor an error'
  return fault(invalidRequest, why, isRequestId(id) ? id : null)
}

/** A request of that name cancels nothing. */
export function isCancellation(message: JSONRPCMessage): message is JSONRPCNotification {
  return 'method' in message && message.method === 'notifications/cancelled' && !('id' in message)
}

export function faultLine({ code, message, id }: LineFault): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

export function fault(code: number, message: string, id: RequestId | null = null): LineFault {
  return { kind: 'fault', code, message, id }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

const idAtHead = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")\s*,/
/** Followed by a single brace and the end of the line, so it is the message's own id and no argument's. */
const idAtTail = /[,{]\s*"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** So that whoever sent a too long request learns of it at once instead of waiting for its own time limit. */
function idOfExcerpt(line: { head: Buffer; tail: Buffer }): RequestId | null {
  const found = idAtHead.exec(line.head.toString('utf8')) ?? idAtTail.exec(line.tail.toString('utf8'))
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as RequestId)
}
