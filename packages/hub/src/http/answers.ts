import type { ServerResponse } from 'node:http'

export function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}

export interface HttpError {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What MCP over HTTP has no code for of its own. */
export const serverError = -32000

export const wrongMethod: HttpError = {
  status: 405,
  code: serverError,
  message: 'Method not allowed',
  headers: { allow: 'GET, POST, DELETE' },
}
export const noSession: HttpError = { status: 404, code: -32001, message: 'Session not found' }
export const tooBusy: HttpError = {
  status: 503,
  code: serverError,
  message: 'The hub holds as many sessions as it may',
  headers: { 'retry-after': '60' },
}

/** The hub has no room for another session. */
export class TooBusyError extends Error {}

export function sendError(response: ServerResponse, { status, code, message, headers }: HttpError): void {
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code, message } }, headers)
}
