import { type FailureCode, ForumFailure } from '../../src/failure/forum-failure.js'
import { anonymous, type Credential } from '../../src/http/credential.js'
import type { Query, Scope, SiteClient, WriteRequest } from '../../src/http/site-client.js'
import { isRecord, listAt, textAt } from '../../src/json/read-json.js'

/** One request for each call: nothing is tried again, waited for or kept, so that a test sees what a tool itself asks for. */
export function plainClient(base: string, credential: Credential = anonymous): SiteClient {
  return {
    base,
    get: (path, query, scope) =>
      answerOf(base + path + search(query), { method: 'GET', headers: { ...accept, ...credential.headers() } }, scope),
    send: (request, scope, onSending) => {
      onSending?.()
      return answerOf(base + request.path + search(request.query ?? []), writeOf(request, credential), scope)
    },
  }
}

const accept = { accept: 'application/json' }

function search(query: Query): string {
  const parameters = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]))
  return query.length === 0 ? '' : `?${parameters}`
}

function writeOf({ method, json, form, actAs }: WriteRequest, credential: Credential): RequestInit {
  const headers = { ...accept, ...credential.headers(actAs) }
  if (form !== undefined) return { method, headers, body: form }
  if (json === undefined) return { method, headers }
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) }
}

async function answerOf(url: string, request: RequestInit, { signal }: Scope): Promise<unknown> {
  const outcome = request.method === 'GET' ? {} : ({ outcome: 'unknown' } as const)
  let response: Response
  let text: string
  try {
    response = await fetch(url, { ...request, signal, redirect: 'manual' })
    text = await response.text()
  } catch (error) {
    signal.throwIfAborted()
    throw new ForumFailure('network_error', 'The forum did not answer.', outcome, error)
  }
  const body = parsed(text)
  if (!response.ok) throw refusal(response.status, body, request.method === 'GET')
  if (body === undefined) throw new ForumFailure('unexpected_response', 'The answer is not JSON.', outcome)
  return body
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal(status: number, body: unknown, isReading: boolean): ForumFailure {
  const errors = listAt(body, 'errors').filter((error) => typeof error === 'string')
  const errorType = textAt(body, 'error_type')
  const isRefused = status < 500 || errorType === 'read_only'
  return new ForumFailure(codeOf(status, body), errors.join(' ') || `The forum answered ${status}.`, {
    status,
    ...(errors.length > 0 && { errors }),
    ...(errorType !== undefined && { error_type: errorType }),
    ...(!isReading && { outcome: isRefused ? 'rejected' : 'unknown' }),
  })
}

const codes: { readonly [status: number]: FailureCode } = {
  400: 'rejected',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'not_found',
  422: 'rejected',
  429: 'rate_limited',
}

function codeOf(status: number, body: unknown): FailureCode {
  const errorType = isRecord(body) ? body['error_type'] : undefined
  if (status === 403 && errorType === 'not_logged_in') return 'not_authenticated'
  if (status === 503 && errorType === 'read_only') return 'site_read_only'
  if (status >= 300 && status < 400) return 'redirect_refused'
  return codes[status] ?? 'upstream_error'
}
