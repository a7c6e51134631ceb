import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpFront } from '../mcp/mcp-server.js'
import type { OAuthConfig } from '../oauth-config.js'
import { sendJson } from './answers.js'
import { RequestGuard } from './guards.js'
import * as limits from './limits.js'
import { type HttpAuthenticate, McpEndpoint } from './mcp-endpoint.js'
import { answerMetadata } from './oauth-metadata.js'

export interface HttpAddress {
  readonly host: string
  /** 0: any that is free; further addresses with 0 take the same one. */
  readonly port: number
}

export interface HttpOptions {
  readonly addresses?: readonly HttpAddress[]
  readonly authenticate: HttpAuthenticate
  /** The authorization server that we tell clients of. */
  readonly oauth?: OAuthConfig
  readonly requestBytesMax?: number
  readonly connectionsMax?: number
}

export interface HttpFront {
  /** What we listen on in the end. */
  readonly addresses: readonly HttpAddress[]
  close(): Promise<void>
}

/** The port is taken. */
export class AddressInUseError extends Error {
  readonly code = 'address_in_use'
  readonly address: HttpAddress

  constructor(address: HttpAddress) {
    super(`${address.host}:${address.port} is in use`)
    this.address = address
  }
}

const defaultPort = 8765
export const defaultAddresses: readonly HttpAddress[] = [
  { host: '127.0.0.1', port: defaultPort },
  { host: '::1', port: defaultPort },
]

/** @throws AddressInUseError, or what the system says against an address; then nothing is left open. */
export async function listenHttp(front: McpFront, options: HttpOptions): Promise<HttpFront> {
  const wanted = options.addresses ?? defaultAddresses
  const mcp = new McpEndpoint(front, options.authenticate, options.requestBytesMax ?? limits.requestBytesMax)
  const guard = new RequestGuard(wanted.map(({ host }) => host))
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    route(guard, mcp, options.oauth, request, response).catch((error: unknown) => {
      front.log.debug({ err: error }, 'an HTTP request failed')
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: { code: 'internal', message: 'internal error' } })
    })
  }
  const servers = await listenAll(wanted, () => serverOf(onRequest, options.connectionsMax ?? limits.connectionsMax))
  const sweep = setInterval(() => mcp.sweep(), limits.sweepIntervalMs)
  sweep.unref()
  return {
    addresses: servers.map(addressOf),
    close: async () => {
      clearInterval(sweep)
      await closeAll(servers, () => mcp.close())
    },
  }
}

async function route(
  guard: RequestGuard,
  mcp: McpEndpoint,
  oauth: OAuthConfig | undefined,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const refusal = guard.refusalOf(request.headers)
  if (refusal !== undefined) return sendJson(response, 403, { error: { code: 'forbidden', message: refusal } })
  const path = (request.url ?? '/').split('?', 1)[0]
  if (path === '/mcp') return mcp.handle(request, response)
  if (oauth !== undefined && answerMetadata(oauth, path, request, response)) return
  if (path !== '/healthz')
    return sendJson(response, 404, { error: { code: 'not_found', message: `there is no ${path}` } })
  if (request.method === 'GET' || request.method === 'HEAD') return sendJson(response, 200, { status: 'ok' })
  const error = { code: 'method_not_allowed', message: 'only GET' }
  return sendJson(response, 405, { error }, { allow: 'GET, HEAD' })
}

function serverOf(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  connectionsMax: number,
): Server {
  const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = limits
  const timeouts = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
  }
  const server = createServer(timeouts, onRequest)
  server.maxConnections = connectionsMax
  return server
}

async function listenAll(addresses: readonly HttpAddress[], create: () => Server): Promise<Server[]> {
  const servers: Server[] = []
  for (const [index, { host, port }] of addresses.entries()) {
    const server = create()
    const address = { host, port: port === 0 && servers[0] !== undefined ? addressOf(servers[0]).port : port }
    try {
      await listenOnce(server, address)
      servers.push(server)
    } catch (error) {
      if (isUnavailable(error) && index > 0) continue
      for (const opened of servers) opened.close()
      throw error
    }
  }
  return servers
}

function listenOnce(server: Server, address: HttpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new AddressInUseError(address) : error)
    server.once('error', onError)
    server.listen(address.port, address.host, () => {
      server.off('error', onError)
      resolve()
    })
  })
}

/** A machine without IPv6 is served by the first address alone. */
function isUnavailable(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function addressOf(server: Server): HttpAddress {
  const { address, port } = server.address() as AddressInfo
  return { host: address, port }
}

/** Nothing new comes in, streams end, requests that are being answered get a moment. */
async function closeAll(servers: readonly Server[], endStreams: () => Promise<void>): Promise<void> {
  const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
  await endStreams()
  for (const server of servers) server.closeIdleConnections()
  const cut = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, limits.closeGraceMs)
  await closed
  clearTimeout(cut)
}
