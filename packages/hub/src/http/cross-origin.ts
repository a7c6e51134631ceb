import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestGuard } from './guards.js'
import { preflightHeadersLengthMax, preflightSecondsMax } from './limits.js'

/** What a page may read of an answer beyond what browsers show to all. */
const exposed = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'
const methods = 'GET, POST, DELETE'

/**
 * Lets pages of the listed origins read our answers, and nobody else: without a list there is not one CORS header.
 * @returns true when the request was a browser's question beforehand, which is answered then.
 */
export function allowCrossOrigin(guard: RequestGuard, request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers
  if (origin === undefined || !guard.isListed(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-expose-headers', exposed)
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false
  answerPreflight(request, response)
  return true
}

/** Which headers a page sets is no secret and no danger: whoever is listed is trusted, and tools may ask for any `Mcp-Param-`. */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const wanted = String(headers['access-control-request-headers'] ?? '').slice(0, preflightHeadersLengthMax)
  response.setHeader('access-control-allow-methods', methods)
  response.setHeader('access-control-max-age', preflightSecondsMax)
  response.setHeader('vary', 'Origin, Access-Control-Request-Headers')
  if (/^[\w!#$%&'*+.^`|~, -]+$/.test(wanted)) response.setHeader('access-control-allow-headers', wanted)
  if (headers['access-control-request-private-network'] === 'true') {
    response.setHeader('access-control-allow-private-network', 'true')
  }
  response.writeHead(204)
  response.end()
}
