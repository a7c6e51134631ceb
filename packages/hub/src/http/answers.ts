import type { ServerResponse } from 'node:http'
import type { RequestId } from '@modelcontextprotocol/server'
import { ownBytes } from '../mcp/own-bytes.js'
import * as limits from './limits.js'

/** Why a request is not served, in both shapes that we answer in: the facade's and JSON-RPC's. */
export interface HttpError {
  readonly status: number
  /** As the facade spells its codes. */
  readonly code: string
  /** The code of JSON-RPC; absent: there is none of its own for this. */
  readonly rpcCode?: number
  /** The request's, where it could be read. */
  readonly id?: RequestId | null
  readonly message: string
  readonly details?: object
  readonly suggestions?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** What MCP over HTTP has no code for of its own. */
export const serverError = -32000

export const noSession: HttpError = {
  status: 404,
  code: 'SESSION_NOT_FOUND',
  rpcCode: -32001,
  message: 'Session not found: it has ended, or is not of this token; initialize again',
}
export const tooBusy: HttpError = {
  status: 503,
  code: 'OVERLOADED',
  message: 'The hub holds as many sessions as it may',
  headers: { 'retry-after': '60' },
}
export const wrongMediaType: HttpError = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message: 'Content-Type must be application/json',
}

/** Small to send and large to read is what nobody but an attacker needs here. */
export const encodedBody: HttpError = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message: 'Content-Encoding: the body must be sent as it is, not compressed',
  headers: { 'accept-encoding': 'identity' },
}

export function wrongMethod(allow: string): HttpError {
  return { status: 405, code: 'METHOD_NOT_ALLOWED', message: `Method not allowed: only ${allow}`, headers: { allow } }
}

export function bodyTooLarge(bytesMax: number): HttpError {
  return { status: 413, code: 'BODY_TOO_LARGE', message: `The body is larger than ${bytesMax} bytes` }
}

/** The hub has no room for another session. */
export class TooBusyError extends Error {}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  sendJsonText(response, status, JSON.stringify(value), headers)
}

/** JSON that is written already. */
export function sendJsonText(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  endAnswer(response, body)
}

/** Of the UTF-8 of a text. */
export function oneCharacterPerByte(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** JSON whose middle is there as bytes; `before` and `after`: characters below 256, one for each byte. */
export function sendBytesWithin(
  response: ServerResponse,
  before: string,
  bytes: Buffer,
  after: string,
  sessionId?: string,
): void {
  const length = before.length + bytes.length + after.length
  response.writeHead(200, sessionId === undefined ? plainHeaders(length) : sessionHeaders(sessionId, length))
  if (bytes.length < limits.joinedBytesMax) {
    return endAnswer(response, `${before}${bytes.toString('latin1')}${after}`, 'latin1')
  }
  response.cork()
  response.write(before, 'latin1')
  response.write(ownBytes(bytes))
  endAnswer(response, after, 'latin1')
}

/** Names and values by turns: for Node the cheapest form. */
function plainHeaders(length: number): (string | number)[] {
  return ['content-type', 'application/json', 'content-length', length]
}

function sessionHeaders(id: string, length: number): (string | number)[] {
  return ['mcp-session-id', id, 'content-type', 'application/json', 'content-length', length]
}

/** Whoever does not take its answer holds the bytes, and a connection, for only so long. */
export function endAnswer(response: ServerResponse, last?: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
  response.end(last, encoding)
  if (response.writableLength === 0) return
  const cut = setTimeout(() => response.destroy(), limits.untakenAnswerMs).unref()
  response.once('close', () => clearTimeout(cut))
}

export function sendRpcError(response: ServerResponse, error: HttpError): void {
  const { status, rpcCode = serverError, id = null, message, details, headers } = error
  const body = { jsonrpc: '2.0', id, error: { code: rpcCode, message, ...(details && { data: details }) } }
  sendJson(response, status, body, headers)
}

/** As the contract of the facade has it. */
export function sendFacadeError(response: ServerResponse, error: HttpError): void {
  const { status, code, message, details, suggestions, headers } = error
  const body = { success: false, error: message, error_code: code, details, suggestions }
  sendJson(response, status, body, headers)
}
